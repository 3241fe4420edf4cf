import type { Log } from '@floorpass/api'

const quietMs = 60_000
const mostOrigins = 100

/** Logs a refused origin once a minute, and at most a hundred origins a minute: any page can send preflights. */
export function createRefusedOriginLog(log: Log): (origin: string) => void {
  const logged = new Map<string, number>()
  return (origin) => {
    const now = Date.now()
    for (const [known, at] of logged) {
      if (now - at < quietMs) break
      logged.delete(known)
    }
    const shown = origin.slice(0, 200)
    if (logged.has(shown) || logged.size >= mostOrigins) return
    logged.set(shown, now)
    log.warn({ origin: shown }, 'preflight refused: add the origin to TRUSTED_ORIGINS if its pages may call this service')
  }
}
