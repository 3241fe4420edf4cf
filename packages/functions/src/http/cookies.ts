/**
 * The cookies of a request. A name that comes twice with different values is left out: a sub-domain may have planted one of
 * them, and no rule of order tells which (RFC 6265bis 5.6.3).
 */
export function requestCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at < 1) continue
    const name = pair.slice(0, at).trim()
    const value = pair.slice(at + 1).trim()
    if (cookies.has(name) && cookies.get(name) !== value) ambiguous.add(name)
    cookies.set(name, value)
  }
  for (const name of ambiguous) cookies.delete(name)
  return cookies
}
