import { methodsOf, patternOf } from '../rest/dispatch.ts'

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
