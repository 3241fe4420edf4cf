import { RemixBrowser } from '@remix-run/react'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { documentLocale, LocaleContext, loadText } from '#app/text.ts'

// A page brought back from the back/forward cache may belong to someone who signed out since.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload()
})

const locale = documentLocale()

loadText(locale, 'door').then(() =>
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <LocaleContext.Provider value={locale}>
          <RemixBrowser />
        </LocaleContext.Provider>
      </StrictMode>,
    )
  }),
)
