import { useLocation } from '@remix-run/react'
import { useContext } from 'react'
import { languages } from '#app/languages.ts'
import { LocaleContext, useText } from '#app/text.ts'

/** Links to the languages, at the bottom of every page. A plain form: another language is another document. */
export function LanguageSwitch() {
  const text = useText('languageSwitch')
  const shown = useContext(LocaleContext)
  const { pathname, search } = useLocation()
  return (
    <footer className="px-5 py-4 print:hidden">
      <form method="post" action="/language" aria-label={text.label} className="flex flex-wrap justify-center gap-1">
        <input type="hidden" name="redirectTo" value={pathname + search} />
        {languages.map(({ value: locale, label: name }) => (
          <button
            key={locale}
            type="submit"
            name="locale"
            value={locale}
            lang={locale}
            aria-current={locale === shown || undefined}
            className="min-h-11 rounded-md px-3 text-sm text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:font-semibold aria-[current]:text-ink"
          >
            {name}
          </button>
        ))}
      </form>
    </footer>
  )
}
