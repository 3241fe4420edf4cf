import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { isTrustedPeer } from './client-address.ts'
import { isHost } from './host.ts'
import { trimWhitespace } from './trim-whitespace.ts'

export type ForwardedUrl = {
  /** X-Forwarded-Proto: a list behind several proxies. Some gateways write the HTTP version here. */
  protocol: string | undefined
  host: string | undefined
  path: string
}

/** Builds the URL that the caller requested, as text: only `path` may need encoding. An invalid host becomes that of `fallback`. */
export function publicUrl({ protocol, host, path }: ForwardedUrl, fallback: string): string {
  const origin = host !== undefined && isHost(host) ? `${readScheme(protocol)}://${host}` : new URL(fallback).origin
  // Join as text: resolving `//evil.test` as a relative URL would change the host.
  return path.startsWith('/') ? `${origin}${path}` : `${origin}/${path}`
}

/** The scheme of a request to the plain server, which has no TLS: only a trusted proxy can tell that the caller used https. */
export function callerScheme({ headers, socket }: IncomingMessage, trusted: BlockList): 'http' | 'https' {
  const protocol = headers['x-forwarded-proto']?.toString()
  return protocol !== undefined && isTrustedPeer(socket.remoteAddress ?? null, trusted) ? readScheme(protocol) : 'http'
}

/** Only `http` means http: some gateways write the HTTP version here. Spec: Errors 2. */
function readScheme(protocol = ''): 'http' | 'https' {
  const [first = ''] = protocol.slice(0, 64).split(',', 1)
  return trimWhitespace(first).toLowerCase() === 'http' ? 'http' : 'https'
}
