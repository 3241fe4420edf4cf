import { trimWhitespace } from './trim-whitespace.ts'

/** The value of each cookie of this name, the planted one too: for ending what any of them opens. */
export const cookieValues = (header: string | null, wanted: string): string[] =>
  pairsOf(header).flatMap(([name, value]) => (name === wanted ? [value] : []))

/**
 * The cookies of a request. A name that comes twice with different values is left out: a sub-domain may have planted one of
 * them, and no rule of order tells which (RFC 6265bis 5.6.3).
 */
export function requestCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const [name, value] of pairsOf(header)) {
    if (cookies.has(name) && cookies.get(name) !== value) ambiguous.add(name)
    cookies.set(name, value)
  }
  for (const name of ambiguous) cookies.delete(name)
  return cookies
}

function pairsOf(header: string | null): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) pairs.push([trimWhitespace(pair.slice(0, at)), trimWhitespace(pair.slice(at + 1))])
  }
  return pairs
}
