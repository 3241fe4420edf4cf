/** Follows redirects at a provider, with its cookies, until one leads to `home`. Returns the path and query of that URL. */
export async function followRedirects(start: string, home: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL(start)
  for (let step = 0; step < 10; step += 1) {
    if (url.origin === new URL(home).origin) return url.pathname + url.search
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    for (const header of response.headers.getSetCookie()) {
      const [pair = ''] = header.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`the provider stopped at ${url.pathname} with ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
  }
  throw new Error('too many redirects at the provider')
}
