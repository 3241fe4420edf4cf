import type { EdgeService } from '../edge-service.ts'
import { documentPaths, methodsOf, patternOf } from '../rest/dispatch.ts'
import { activeRoutes, pathsOf } from '../rest/routes.ts'

const fixed = new Set(['/healthz', '/readyz', '/metrics'])

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])

export const methodLabel = (method: string): string => (methods.has(method) ? method : 'other')

/** The route of a path as a metric label. All unknown paths share one label. */
export function routePattern(path: string, status: number): string {
  if (fixed.has(path) || methodsOf(path).length > 0) return patternOf(path)
  if (status === 404 || path.startsWith('/auth/')) return 'unknown'
  if (path.startsWith('/trpc/')) return '/trpc/*'
  if (path.startsWith('/tests/')) return '/tests/*'
  if (path.startsWith('/dev/mailbox')) return '/dev/mailbox'
  if (path.startsWith('/dev/mails')) return '/dev/mails'
  return 'page'
}

/** Route and method of every request that this service answers as documented, for counters that start at 0. */
export function knownRequests({ deps, outbox }: Pick<EdgeService, 'deps' | 'outbox'>): { route: string; method: string }[] {
  const others: Record<string, string[]> = {
    ...Object.fromEntries([...fixed].map((path) => [path, ['GET', 'HEAD', 'OPTIONS']])),
    ...Object.fromEntries([...documentPaths].map((path) => [path, ['GET']])),
    page: ['GET', 'HEAD', 'POST'],
    unknown: ['GET', 'HEAD', 'POST'],
    '/trpc/*': ['GET', 'POST'],
    '/tests/*': ['GET'],
    ...(outbox && { '/dev/mailbox': ['GET'], '/dev/mails': ['GET'] }),
  }
  return [
    ...Object.entries(others).flatMap(([route, names]) => names.map((method) => ({ route, method }))),
    ...activeRoutes(deps).flatMap((active) => pathsOf(active).map((route) => ({ route, method: active.method }))),
  ]
}
