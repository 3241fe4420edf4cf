import { AppError, type RareLog } from '@floorpass/api'
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
  (trustedOrigins: readonly string[], methodsOf: (path: string) => string[], logRarely: RareLog): Handler<EdgeEnv> =>
  (c) => {
    const origin = c.req.raw.headers.get('origin')
    if (origin !== null && !trustedOrigins.includes(origin)) {
      const shown = origin.slice(0, 200)
      logRarely(
        `preflight ${shown}`,
        { origin: shown },
        'preflight refused: add the origin to TRUSTED_ORIGINS if its pages may call this service',
      )
      throw new AppError('INVALID_ORIGIN')
    }
    const known = methodsOf(c.req.path)
    const methods = known.length > 0 ? known : ['GET', 'POST']
    return new Response(null, {
      status: 204,
      headers: origin === null ? [] : preflightHeaders(methods),
    })
  }

const preflightHeaders = (methods: readonly string[]): HeaderList => [
  ['access-control-allow-methods', [...methods, 'OPTIONS'].join(', ')],
  ['access-control-allow-headers', 'content-type'],
  ['access-control-max-age', '7200'],
]
