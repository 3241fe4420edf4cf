import { trimWhitespace } from './trim-whitespace.ts'

/** All values of a cookie, planted ones included, so that sign-out can end every session they open. */
export const cookieValues = (header: string | null, wanted: string): string[] =>
  parseCookies(header).flatMap(([name, value]) => (name === wanted ? [value] : []))

/** The cookies of a request, without names that have two values: a sub-domain may have planted one (RFC 6265bis 5.6.3). */
export function requestCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const [name, value] of parseCookies(header)) {
    if (cookies.has(name) && cookies.get(name) !== value) ambiguous.add(name)
    cookies.set(name, value)
  }
  for (const name of ambiguous) cookies.delete(name)
  return cookies
}

function parseCookies(header: string | null): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) pairs.push([trimWhitespace(pair.slice(0, at)), trimWhitespace(pair.slice(at + 1))])
  }
  return pairs
}
