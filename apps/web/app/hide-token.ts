import { useEffect } from 'react'

/**
 * Takes the token of a mailed link out of the address bar and the history once the page has it, so that nobody reads it over a shoulder
 * or finds it later. Without JavaScript it stays until the form is sent.
 */
export function useHiddenToken(): void {
  useEffect(() => {
    const url = new URL(window.location.href)
    if (!url.searchParams.has('token')) return
    url.searchParams.delete('token')
    window.history.replaceState(window.history.state, '', url)
  }, [])
}
