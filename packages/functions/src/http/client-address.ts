import { BlockList, isIP, SocketAddress } from 'node:net'
import { trimWhitespace } from './trim-whitespace.ts'

/**
 * The caller's address: the socket's, unless that is a proxy we were told to believe; then the right-most hop of
 * X-Forwarded-For that is not such a proxy. Null when there is none to be had. Canonical text: one address, one spelling.
 */
export function clientAddress(peer: string | null, forwardedFor: string | null, trusted: BlockList): string | null {
  let address = canonical(peer)
  const hops = (forwardedFor ?? '').slice(-2048).split(',')
  while (address !== null && isTrusted(address, trusted)) {
    const hop = hops.pop()
    const next = hop === undefined ? null : canonical(withoutPort(trimWhitespace(hop)))
    // A hop that is no address was not written by a proxy of ours: what is left of it may be forged.
    if (next === null) return address
    address = next
  }
  return address
}

/** `10.0.0.0/8`, `::1/128` or single addresses, as one list to ask. */
export function trustedProxies(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** Whether the other end of the connection is a proxy that we were told to believe. */
export function isTrustedPeer(peer: string | null, trusted: BlockList): boolean {
  const address = canonical(peer)
  return address !== null && isTrusted(address, trusted)
}

const isTrusted = (address: string, trusted: BlockList): boolean => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => hop.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.+)\](:\d+)?$/, '$1')

function canonical(text: string | null): string | null {
  if (text === null) return null
  const family = isIP(text)
  if (family === 4) return text
  if (family !== 6 || text.includes('%')) return null
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/.test(address) ? address.slice('::ffff:'.length) : address
}
