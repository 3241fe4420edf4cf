import { isIPv6 } from 'node:net'

/** IPv6 uses the /64, since one household has a whole /64. */
export function addressBlock(ip: string | null): string {
  if (ip === null) return 'unknown'
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const groups = tail === undefined ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}
