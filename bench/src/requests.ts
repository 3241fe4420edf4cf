import { activeUsers, betterAuthCookie, emailAt, floorpassCookie, keySecrets, password, sessionsPerUser, userId } from './data.ts'

export type Requests = { requests: string[]; expected: { status: number; body: string }[] }

export type Side = { name: string; base: string; cookie: ((session: number) => string) | null }

export const floorpassSide: Side = { name: 'Floorpass', base: '/auth', cookie: floorpassCookie }
export const betterAuthSide: Side = { name: 'better-auth', base: '/api/auth', cookie: betterAuthCookie }

const originAt = (port: number) => `http://127.0.0.1:${port}`

export const get = (path: string, port: number, cookie?: string, headers: Record<string, string> = {}): string => {
  const lines = Object.entries({ Accept: '*/*', ...(cookie && { Cookie: cookie }), ...headers })
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

export const post = (path: string, port: number, body: unknown, cookie?: string, origin = originAt(port)): string => {
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Origin: ${origin}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(cookie ? [`Cookie: ${cookie}`] : []),
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

export const hotSessions = times(activeUsers, (user) => user * sessionsPerUser)
/** Few enough that each session sends several requests, as real users do. */
const busySessions = hotSessions.slice(0, 1_000)

/** Each answer must name its own user, because mixing up users is the worst fault of a cache. */
export const getSession = (side: Side, port: number, sessions: readonly number[]): Requests => ({
  requests: sessions.map((session) => get(`${side.base}/get-session`, port, side.cookie?.(session))),
  expected: sessions.map((session) => ({
    status: 200,
    body: `"email":"${emailAt(Math.floor(session / sessionsPerUser) % 100_000)}"`,
  })),
})

export const verifyCaller = (side: Side, port: number, sessions: readonly number[]): Requests => ({
  requests: sessions.map((session) => get(`${side.base}/verify?acr=aal1&scope=order:read`, port, side.cookie?.(session))),
  expected: sessions.map((session) => ({
    status: 200,
    body: `x-auth-user: ${userId(Math.floor(session / sessionsPerUser) % 100_000)}`,
  })),
})

/** By the secrets of API keys. */
export const verifyKey = (port: number, keys: readonly number[]): Requests => ({
  requests: keys.map((key) =>
    get('/auth/verify?scope=order:read', port, undefined, { Authorization: `Bearer ${keySecrets[key]}` }),
  ),
  expected: keys.map((key) => ({ status: 200, body: `x-auth-key: key-${key}\r\n` })),
})

export const signIn = (side: Side, port: number, first: number, count: number, origin?: string): Requests => ({
  requests: times(count, (index) =>
    post(`${side.base}/sign-in/email`, port, { email: emailAt(first + index), password }, undefined, origin),
  ),
  expected: times(count, (index) => ({ status: 200, body: `"email":"${emailAt(first + index)}"` })),
})

let newcomers = 0
export const signUp = (side: Side, port: number, count: number): Requests => {
  const first = newcomers
  newcomers += count
  const email = (index: number) => `newcomer-${first + index}@example.com`
  return {
    requests: times(count, (index) =>
      post(`${side.base}/sign-up/email`, port, { name: 'Ada Newcomer', email: email(index), password: `${password} ${index}` }),
    ),
    expected: times(count, (index) => ({ status: 200, body: `"email":"${email(index)}"` })),
  }
}

export const listSessions = (side: Side, port: number): Requests => ({
  requests: busySessions.map((session) => get(`${side.base}/list-sessions`, port, side.cookie?.(session))),
  expected: times(busySessions.length, (user) => ({ status: 200, body: `"userId":"${userId(user)}"` })),
})

export const listOrganizations = (side: Side, port: number): Requests => ({
  requests: busySessions.map((session) => get(`${side.base}/organization/list`, port, side.cookie?.(session))),
  expected: times(busySessions.length, (user) => ({ status: 200, body: `"slug":"desk-${2 * user + 1}"` })),
})

export const updateUser = (side: Side, port: number, name = 'Renamed'): Requests => ({
  requests: busySessions.map((session, user) =>
    post(`${side.base}/update-user`, port, { name: `${name} ${user}` }, side.cookie?.(session)),
  ),
  expected: times(busySessions.length, () => ({ status: 200, body: '"status":true' })),
})

export const page = (path: string, port: number, text: string): Requests => ({
  requests: [get(path, port)],
  expected: [{ status: 200, body: text }],
})
