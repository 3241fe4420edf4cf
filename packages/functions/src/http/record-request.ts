import type { Log } from '@floorpass/api'
import type { EdgeService } from '../edge-service.ts'
import { routePattern } from '../metrics/route-pattern.ts'
import { printable } from './printable.ts'

type AnsweredRequest = { method: string; path: string; status: number; started: number }

/** Counts a request, and logs it unless `log` is null. */
export function recordRequest(
  { metrics }: EdgeService,
  log: Log | null,
  { method, path, status, started }: AnsweredRequest,
): void {
  if (!metrics && !log) return
  const ms = performance.now() - started
  metrics?.countRequest({ route: routePattern(path, status), method, status }, ms / 1000)
  log?.[status >= 500 ? 'warn' : 'info']({ method, path: printable(withoutTokens(path)), status, ms: Math.round(ms) }, 'request')
}

/** Removes what looks like a token. A custom front end may put one into the path, and paths are logged. */
const withoutTokens = (path: string): string => path.replace(/[\w%~.-]{40,}/g, '[removed]')
