import { useSyncExternalStore } from 'react'

const minute = 60_000
const listeners = new Set<() => void>()
let now = 0
let timer: ReturnType<typeof setInterval> | undefined

/** Browsers slow the timer of a hidden page, so a page that is shown again reads the clock at once. */
function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, minute)
    document.addEventListener('visibilitychange', tick)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  }
}

function getNow(): number {
  now ||= Date.now()
  return now
}

/** The time, a minute fresh. Null on the server and until the page's scripts run: only the browser knows the person's zone. */
export const useNow = (): number | null => useSyncExternalStore(subscribe, getNow, () => null)
