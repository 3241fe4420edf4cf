type HeaderList = [name: string, value: string][]

const exposedHeaders = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-retry-after, x-request-id'

/**
 * The CORS headers of a response to `origin`: that very origin when it is trusted, never `*`, else none. They stand on errors
 * too: without them a browser hides even the error from its page.
 */
export function corsHeaders(origin: string | null, trustedOrigins: readonly string[]): HeaderList {
  if (origin === null || !trustedOrigins.includes(origin)) return []
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', exposedHeaders],
  ]
}

/** What a preflight from a trusted origin is told besides. `methods` are those that the path really answers. */
export function preflightHeaders(
  origin: string | null,
  trustedOrigins: readonly string[],
  methods: readonly string[],
): HeaderList {
  if (corsHeaders(origin, trustedOrigins).length === 0) return []
  return [
    ['access-control-allow-methods', [...methods, 'OPTIONS'].join(', ')],
    ['access-control-allow-headers', 'content-type'],
    ['access-control-max-age', '7200'],
  ]
}
