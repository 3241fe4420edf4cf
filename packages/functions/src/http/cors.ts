import type { Handler, MiddlewareHandler } from 'hono'
import type { EdgeEnv } from '../edge-types.ts'

type HeaderList = [name: string, value: string][]

const exposedHeaders = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-retry-after, x-request-id'

/** The CORS headers of a response to `origin`, errors included: that very origin if it is trusted, never `*`. Otherwise none. */
function corsHeaders(origin: string | null, trustedOrigins: readonly string[]): HeaderList {
  if (origin === null || !trustedOrigins.includes(origin)) return []
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', exposedHeaders],
  ]
}

export function addCorsHeaders(headers: Headers, origin: string | null, trustedOrigins: readonly string[]): void {
  headers.append('vary', 'Origin')
  for (const [name, value] of corsHeaders(origin, trustedOrigins)) headers.set(name, value)
}

export const withCorsHeaders =
  (trustedOrigins: readonly string[]): MiddlewareHandler<EdgeEnv> =>
  async (c, next) => {
    const origin = c.req.raw.headers.get('origin')
    await next()
    addCorsHeaders(c.res.headers, origin, trustedOrigins)
  }

export const answerPreflight =
  (trustedOrigins: readonly string[], methodsOf: (path: string) => string[]): Handler<EdgeEnv> =>
  (c) => {
    const known = methodsOf(c.req.path)
    const methods = known.length > 0 ? known : ['GET', 'POST']
    return new Response(null, {
      status: 204,
      headers: preflightHeaders(c.req.raw.headers.get('origin'), trustedOrigins, methods),
    })
  }

function preflightHeaders(origin: string | null, trustedOrigins: readonly string[], methods: readonly string[]): HeaderList {
  if (corsHeaders(origin, trustedOrigins).length === 0) return []
  return [
    ['access-control-allow-methods', [...methods, 'OPTIONS'].join(', ')],
    ['access-control-allow-headers', 'content-type'],
    ['access-control-max-age', '7200'],
  ]
}
