import { isHost } from '../http/host.ts'
import { trimWhitespace } from '../http/trim-whitespace.ts'

/** What a gateway tells of a request's address. Callers can forge all but `domainName`. */
export type ForwardedUrl = {
  /** X-Forwarded-Proto: a list when there were several proxies. Some gateways write the HTTP version here. */
  protocol: string | undefined
  /** The gateway's own name, or the Host header. */
  host: string | undefined
  /** As it came, with its query. */
  path: string
}

/**
 * The URL that the caller asked for. The forwarded protocol counts when it is one of the web's; `HTTP/1.1` and everything else mean
 * https, since that is what a gateway serves. There always is a URL: a host that makes none is replaced by `fallback`'s. Spec: Errors 2.
 */
export function publicUrl({ protocol, host, path }: ForwardedUrl, fallback: string): URL {
  const [first = ''] = (protocol ?? '').slice(0, 64).split(',', 1)
  const scheme = trimWhitespace(first).toLowerCase() === 'http' ? 'http' : 'https'
  const origin = host !== undefined && isHost(host) ? `${scheme}://${host}` : new URL(fallback).origin
  const rooted = path.startsWith('/') ? path : `/${path}`
  // Joined as text: as a relative URL, `//evil.test` would be another host.
  return new URL(URL.canParse(`${origin}${rooted}`) ? `${origin}${rooted}` : origin)
}
