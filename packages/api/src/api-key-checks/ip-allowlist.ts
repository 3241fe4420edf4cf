import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Canonical CIDR ranges, without repetition: `::ffff:192.0.2.7/120` is `192.0.2.0/24`. The contract checked the form. */
export const toCanonicalRanges = (texts: readonly string[]): string[] => [
  ...new Set(texts.map((text) => toText(parseRange(text)))),
]

/** Whether an address is in one of the ranges. An empty list admits every address, an unknown address none of the others. */
export function isAllowedAddress(ranges: readonly string[], address: string | null): boolean {
  if (ranges.length === 0) return true
  if (address === null || !ipaddr.isValid(address)) return false
  const caller = ipaddr.process(address)
  return ranges.map(parseRange).some((range) => caller.kind() === range[0].kind() && caller.match(range as never))
}

function parseRange(text: string): Range {
  const [address = '', length] = text.split('/')
  const parsed = ipaddr.parse(address)
  const bits = length === undefined ? (parsed.kind() === 'ipv4' ? 32 : 128) : Number(length)
  // A range of mapped addresses is one of IPv4, if it holds nothing else.
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96)
    return toNetwork([parsed.toIPv4Address(), bits - 96])
  return toNetwork([parsed, bits])
}

const toNetwork = ([address, bits]: Range): Range => {
  const cidr = `${address.toString()}/${bits}`
  const network = address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return [network, bits]
}

const toText = ([address, bits]: Range): string =>
  `${address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()}/${bits}`
