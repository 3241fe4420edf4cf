import { RemixBrowser } from '@remix-run/react'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { documentLocale, LocaleContext, loadText } from '#app/text.ts'

// A page brought back from the back/forward cache may belong to someone who signed out since.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload()
})

const locale = documentLocale()

Promise.all([loadText(locale, 'pages'), decodeData()]).then(() =>
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

/**
 * Remix suspends its first render until the data of the page is decoded. A key that is pressed meanwhile makes React 18 hydrate at once,
 * which cannot wait, and give the page up for good ("Root did not complete", error 345). So the data is decoded before that render.
 */
async function decodeData(): Promise<void> {
  try {
    RemixBrowser({})
  } catch (decoding) {
    await decoding
  }
}
