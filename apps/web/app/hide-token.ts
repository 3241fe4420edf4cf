import { useEffect } from 'react'

/** Removes the token of a mailed link from the address bar and the history. Without JavaScript it stays until the form is sent. */
export function useHiddenToken(): void {
  useEffect(() => {
    const url = new URL(window.location.href)
    if (!url.searchParams.has('token')) return
    url.searchParams.delete('token')
    window.history.replaceState(window.history.state, '', url)
  }, [])
}
