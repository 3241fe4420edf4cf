import type { Edge } from '@floorpass/functions'

export type Answer = { status: number; headers: Headers; body: unknown; code: string | undefined; setCookies: string[] }

/** What most tests compare. The code is undefined unless the answer is an error. */
export const outcome = ({ status, code }: Answer): [number, string | undefined] => [status, code]

export const isSignedIn = async (tab: Pick<Browser, 'get'>): Promise<boolean> =>
  (await tab.get('/auth/get-session')).body !== null

export const getSessionToken = (tab: Pick<Browser, 'cookies'>): string => tab.cookies.get('local-floorpass_session') ?? ''

export type RequestOptions = {
  /** Sent as JSON. Strings, bytes and streams are sent unchanged; bytes and streams set no content type. */
  body?: unknown
  headers?: Record<string, string>
  /** The IP address of the socket. */
  ip?: string | null
}

export type Browser = {
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  cookies: Map<string, string>
  /** The same request function with the signature of the global fetch, for clients that accept one. */
  fetch: typeof fetch
}

/** A browser on `origin`: keeps cookies, and sends Origin with every request but GET. `origin: null` acts like curl. */
export function createBrowser(
  edge: Edge,
  baseUrl: string,
  { origin = baseUrl, ip = '127.0.0.1' }: { origin?: string | null; ip?: string } = {},
): Browser {
  const cookies = new Map<string, string>()

  const send = async (request: Request, peerAddress: string | null): Promise<Response> => {
    if (cookies.size > 0) request.headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    if (origin !== null && !['GET', 'HEAD'].includes(request.method) && !request.headers.has('origin'))
      request.headers.set('origin', origin)
    const response = await edge.fetch(request, { peerAddress })
    for (const header of response.headers.getSetCookie()) store(cookies, header)
    return response
  }

  const request = async (method: string, path: string, options: RequestOptions = {}): Promise<Answer> => {
    const { body, headers = {} } = options
    const response = await send(
      new Request(new URL(path, baseUrl), {
        method,
        headers: { ...(body !== undefined && !isBinary(body) && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && {
          body: isBinary(body) || typeof body === 'string' ? body : JSON.stringify(body),
          duplex: 'half',
        }),
      }),
      options.ip === undefined ? ip : options.ip,
    )
    const text = await readText(response)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    const parsed: unknown = isJson ? JSON.parse(text) : text
    const code = typeof parsed === 'object' && parsed !== null && 'code' in parsed ? String(parsed.code) : undefined
    return { status: response.status, headers: response.headers, body: parsed, code, setCookies: response.headers.getSetCookie() }
  }

  return {
    get: (path, options) => request('GET', path, options),
    post: (path, body = {}, options) => request('POST', path, { ...options, body }),
    request,
    cookies,
    fetch: (input, init) => send(new Request(input, init), ip),
  }
}

const isBinary = (body: unknown): body is Uint8Array<ArrayBuffer> | ReadableStream =>
  body instanceof Uint8Array || body instanceof ReadableStream

function store(cookies: Map<string, string>, header: string): void {
  const [pair = '', ...attributes] = header.split('; ')
  const at = pair.indexOf('=')
  if (attributes.includes('Max-Age=0')) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}

/** Of a stream of events, the first page: it goes on for a minute. */
async function readText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.getReader()
  const page = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(page?.value)
}
