import { BlockList, isIP, SocketAddress } from 'node:net'
import { trimWhitespace } from './trim-whitespace.ts'

/** The caller's address in canonical form: the socket's peer, or behind a trusted proxy the right-most untrusted hop of
 * X-Forwarded-For. Null if there is no valid address. */
export function clientAddress(peer: string | null, forwardedFor: string | null, trusted: BlockList): string | null {
  let address = canonical(peer)
  const hops = (forwardedFor ?? '').slice(-2048).split(',')
  while (address !== null && isTrusted(address, trusted)) {
    const hop = hops.pop()
    const next = hop === undefined ? null : canonical(withoutPort(trimWhitespace(hop)))
    // No trusted proxy writes an invalid address, so every hop to its left may be forged.
    if (next === null) return address
    address = next
  }
  return address
}

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
