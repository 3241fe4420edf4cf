import { RemixBrowser } from '@remix-run/react'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'

// A page brought back from the back/forward cache may belong to someone who signed out since.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload()
})

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  )
})
