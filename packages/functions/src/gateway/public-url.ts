import { isHost } from '../http/host.ts'
import { trimWhitespace } from '../http/trim-whitespace.ts'

export type ForwardedUrl = {
  /** X-Forwarded-Proto: a list behind several proxies. Some gateways write the HTTP version here. */
  protocol: string | undefined
  host: string | undefined
  path: string
}

/** Builds the URL that the caller requested. Unknown protocols become https; an invalid host becomes that of `fallback`. Spec: Errors 2. */
export function publicUrl({ protocol, host, path }: ForwardedUrl, fallback: string): URL {
  const [first = ''] = (protocol ?? '').slice(0, 64).split(',', 1)
  const scheme = trimWhitespace(first).toLowerCase() === 'http' ? 'http' : 'https'
  const origin = host !== undefined && isHost(host) ? `${scheme}://${host}` : new URL(fallback).origin
  const rooted = path.startsWith('/') ? path : `/${path}`
  // Join as text: resolving `//evil.test` as a relative URL would change the host.
  return new URL(URL.canParse(`${origin}${rooted}`) ? `${origin}${rooted}` : origin)
}
