import { languages, locales } from '@floorpass/languages/locales'
import { useLocation } from '@remix-run/react'
import { useContext } from 'react'
import { PlainLink } from '#app/components/text-link.tsx'
import { LocaleContext, useText } from '#app/text.ts'
import { useFrame } from '#app/use-frame.ts'

/** The bottom of every page: help, legal pages and languages. A plain form: another language is another document. */
export function LanguageSwitch() {
  const text = useText('languageSwitch')
  const shown = useContext(LocaleContext)
  const { pathname, search } = useLocation()
  const frame = useFrame()
  return (
    <footer className="flex flex-wrap items-center justify-center gap-x-4 px-5 py-4 text-sm print:hidden">
      {frame?.footer.map(({ href, label }) => (
        <PlainLink key={href} href={href}>
          {label}
        </PlainLink>
      ))}
      <form
        method="post"
        action="/language"
        aria-label={text.label}
        className="grid min-h-11 w-52 grid-cols-2 justify-items-center gap-1"
      >
        <input type="hidden" name="redirectTo" value={pathname + search} />
        {locales.map((locale) => (
          <button
            key={locale}
            type="submit"
            name="locale"
            value={locale}
            lang={locale}
            aria-current={locale === shown || undefined}
            className="min-h-11 rounded-md px-3 text-sm text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:font-semibold aria-[current]:text-ink"
          >
            {languages[locale]}
          </button>
        ))}
      </form>
    </footer>
  )
}
