import type { Log } from './log.ts'

/** Logs a warning that any caller can cause. */
export type RareLog = (key: string, fields: Record<string, unknown>, message: string) => void

const quietMs = 60_000
const mostKeys = 100

/** Logs each key once a minute, and at most a hundred keys a minute. */
export function createRareLog(log: Log): RareLog {
  const logged = new Map<string, number>()
  return (key, fields, message) => {
    const now = Date.now()
    for (const [known, at] of logged) {
      if (now - at < quietMs) break
      logged.delete(known)
    }
    if (logged.has(key) || logged.size >= mostKeys) return
    logged.set(key, now)
    log.warn(fields, message)
  }
}
