import { isIPv6 } from 'node:net'

/**
 * What one caller can be told apart by: an IPv4 address whole, an IPv6 address by its /64, since a household has that many; no
 * address at all is one caller. The address is in canonical text.
 */
export function addressBlock(ip: string | null): string {
  if (ip === null) return 'unknown'
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const groups = tail === undefined ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}
