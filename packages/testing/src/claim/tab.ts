import type { Answer, Browser } from '../browser.ts'

export type Target = { url: string; origin: string }

/** A browser on a page of `origin` that talks to a running service. It keeps cookies. */
export type Tab = Pick<Browser, 'get' | 'post' | 'cookies'> & {
  target: Target
  /** Another browser with a copy of the cookies, or without cookies. */
  copy(options?: { cookies?: boolean }): Tab
}

export function createTab(target: Target, cookies = new Map<string, string>()): Tab {
  const request: Browser['request'] = async (method, path, { body, headers = {} } = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(target.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(method === 'POST' && { origin: target.origin, 'content-type': 'application/json' }),
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
      signal: AbortSignal.timeout(20_000),
    })
    for (const header of response.headers.getSetCookie()) store(cookies, header)
    return readAnswer(response)
  }
  return {
    target,
    cookies,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { ...options, body }),
    copy: ({ cookies: keep = true } = {}) => createTab(target, new Map(keep ? cookies : [])),
  }
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const body: unknown = isJson ? JSON.parse(text) : text
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined
  return { status: response.status, headers: response.headers, body, code, setCookies: response.headers.getSetCookie() }
}

/** Returns the body. Throws unless the answer is a success. */
export function expectOk<Body>({ status, body }: Answer, what: string): Body {
  if (status < 200 || status > 299) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`)
  return body as Body
}

function store(cookies: Map<string, string>, header: string): void {
  const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
  const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
  if (value === '' || attributes.some((attribute) => /^max-age=0$/i.test(attribute))) cookies.delete(name)
  else cookies.set(name, value)
}
