import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Canonical CIDR ranges, without repetition: `::ffff:192.0.2.7/120` is `192.0.2.0/24`. The contract checked the form. */
export const toCanonicalRanges = (texts: readonly string[]): string[] => [
  ...new Set(texts.map((text) => toText(parseRange(text)))),
]

/** One spelling of each address: an IPv4-mapped IPv6 address counts as its IPv4 address. */
export const toCanonicalAddress = (address: string): string => toAddressText(ipaddr.process(address))

/** Whether an address is in one of the ranges. An empty list allows every address. Another refuses a caller whose address is unknown. */
export function isAllowedAddress(ranges: readonly string[], address: string | null): boolean {
  if (ranges.length === 0) return true
  if (address === null || !ipaddr.isValid(address)) return false
  const caller = ipaddr.process(address)
  return ranges.map(parseRange).some((range) => caller.kind() === range[0].kind() && caller.match(range as never))
}

/** Whether the first list allows an address that the second one does not. */
export function allowsMoreAddresses(after: readonly string[], before: readonly string[]): boolean {
  if (before.length === 0) return false
  const allowed = mergeSpans(before.map(toSpan))
  const isAllowed = ([first, last]: Span) => allowed.some(([from, to]) => from <= first && last <= to)
  return after.length === 0 || !after.map(toSpan).every(isAllowed)
}

/** The first and the last address, as numbers. */
type Span = [bigint, bigint]

/** Numbers of IPv4 are above those of IPv6, and apart from them. */
const ipv4Offset = 1n << 129n

function toSpan(text: string): Span {
  const [network, bits] = parseRange(text)
  const bytes = network.toByteArray()
  const first = BigInt(`0x${Buffer.from(bytes).toString('hex')}`) + (network.kind() === 'ipv4' ? ipv4Offset : 0n)
  return [first, first + (1n << BigInt(bytes.length * 8 - bits)) - 1n]
}

/** Two halves of a range become the range. */
function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = []
  for (const [first, last] of spans.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const previous = merged.at(-1)
    if (!previous || first > previous[1] + 1n) merged.push([first, last])
    else if (last > previous[1]) previous[1] = last
  }
  return merged
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

const toText = ([address, bits]: Range): string => `${toAddressText(address)}/${bits}`

const toAddressText = (address: Range[0]): string =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
