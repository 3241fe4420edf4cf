import { trimWhitespace } from './trim-whitespace.ts'

/** All values of a cookie, planted ones included, so that sign-out can end every session they open. */
export function cookieValues(header: string | null, wanted: string): string[] {
  const values: string[] = []
  visitCookies(header, (name, value) => {
    if (name === wanted) values.push(value)
  })
  return values
}

/** The cookies of a request, without names that have two values: a sub-domain may have planted one (RFC 6265bis 5.6.3). */
export function requestCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const ambiguous: string[] = []
  visitCookies(header, (name, value) => {
    const known = cookies.get(name)
    if (known !== undefined && known !== value) ambiguous.push(name)
    cookies.set(name, value)
  })
  for (const name of ambiguous) cookies.delete(name)
  return cookies
}

function visitCookies(header: string | null, visit: (name: string, value: string) => void): void {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) visit(trimWhitespace(pair.slice(0, at)), trimWhitespace(pair.slice(at + 1)))
  }
}
