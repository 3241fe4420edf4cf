import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { GitHubPerson, GitHubState } from './github-stand-in.ts'

const [, , clientId, clientSecret, redirectUri] = process.argv
const state: GitHubState = { person: null, failure: null }
const codes = new Map<string, { person: GitHubPerson; challenge: string | null; redirectUri: string }>()
const tokens = new Map<string, GitHubPerson>()
let requests: string[] = []

const newToken = (prefix: string) => `${prefix}${randomBytes(20).toString('hex')}`

function json(response: ServerResponse, status: number, body: unknown): unknown {
  return response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

function authorize(query: URLSearchParams, response: ServerResponse): unknown {
  if (query.get('client_id') !== clientId) return json(response, 404, { message: 'Not Found' })
  // GitHub shows an error page and never redirects to an unregistered URL.
  if (query.get('redirect_uri') !== redirectUri) return json(response, 400, { error: 'redirect_uri_mismatch' })
  const back = new URL(redirectUri ?? '')
  back.searchParams.set('state', query.get('state') ?? '')
  if (state.person) {
    const code = newToken('')
    const challenge = query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null
    codes.set(code, { person: state.person, challenge, redirectUri: query.get('redirect_uri') ?? '' })
    back.searchParams.set('code', code)
  } else {
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_description', 'The user has denied your application access.')
  }
  return response.writeHead(302, { location: back.href }).end()
}

/** GitHub answers a refused token request with status 200. */
function exchange(form: URLSearchParams, response: ServerResponse): unknown {
  const grant = codes.get(form.get('code') ?? '')
  codes.delete(form.get('code') ?? '')
  if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
    return json(response, 200, {
      error: 'incorrect_client_credentials',
      error_description: 'The client credentials are incorrect.',
    })
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (!grant || (grant.challenge !== null && grant.challenge !== challenge))
    return json(response, 200, { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' })
  if (form.get('redirect_uri') !== grant.redirectUri) return json(response, 200, { error: 'redirect_uri_mismatch' })
  const token = newToken('gho_')
  tokens.set(token, grant.person)
  return json(response, 200, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
}

function api(path: string, { headers }: IncomingMessage, response: ServerResponse): unknown {
  const person = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '')
  if (!headers['user-agent']) return json(response, 403, { message: 'Request forbidden by administrative rules.' })
  if (!person) return json(response, 401, { message: 'Bad credentials' })
  const { emails, ...profile } = person
  // The public email of a profile is user input, so it proves nothing.
  return json(response, 200, path === '/user' ? { ...profile, email: emails[0]?.email ?? null, type: 'User' } : emails)
}

const failures: Record<string, (response: ServerResponse) => unknown> = {
  silence: () => {},
  failure: (response) => json(response, 500, { message: 'Server Error' }),
  flood: (response) => json(response, 200, { access_token: 'x'.repeat(10 * 1024 * 1024) }),
  redirect: (response) => response.writeHead(302, { location: state.failure?.location ?? '/user' }).end(),
  odd: (response) => json(response, 200, [[{ id: 'not a number', access_token: 7 }]]),
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand.in')
  if (pathname === '/control') {
    if (request.method === 'POST') Object.assign(state, JSON.parse(await text(request)))
    json(response, 200, requests)
    requests = []
    return
  }
  requests.push(`${request.method} ${pathname}`)
  if (state.failure?.path === pathname) return failures[state.failure.kind]?.(response)
  if (pathname === '/login/oauth/authorize') return authorize(searchParams, response)
  if (pathname === '/login/oauth/access_token') return exchange(new URLSearchParams(await text(request)), response)
  if (pathname === '/user' || pathname === '/user/emails') return api(pathname, request, response)
  return json(response, 404, { message: 'Not Found' })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
