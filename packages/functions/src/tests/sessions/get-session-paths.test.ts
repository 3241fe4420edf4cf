import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError, createContext, limits, policy } from '@floorpass/api'
import { createRequestListener } from '@floorpass/service/request-listener'
import { holdMonotonicClock } from '@floorpass/testing/clock'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { sendRaw } from '@floorpass/testing/raw-http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createEdge } from '../../edge.ts'
import type { RequestLabels } from '../../edge-service.ts'
import { createSessionFastPath } from '../../session-fast-path.ts'

const trusted = 'https://app.example.com'

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer({ joinDuplicateHeaders: true }, listener).listen(0, '127.0.0.1')
  closeAfterFile(async () => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** One service behind two servers: with the fast path, and with the edge alone. */
async function openPaths(environment: Record<string, string> = {}) {
  const app = await createTestApp({ TRUSTED_ORIGINS: trusted, ...environment })
  const counted: RequestLabels[] = []
  const metrics = { contentType: '', text: async () => '', countRequest: (labels: RequestLabels) => void counted.push(labels) }
  const service = { ...app.service, metrics }
  const edge = createEdge(service)
  const edgeListener = vi.fn(
    createRequestListener(
      (request, { incoming }) => edge.fetch(request, { peerAddress: incoming.socket.remoteAddress ?? null, framesBodies: true }),
      app.service,
    ),
  )
  const ports = { fast: await listen(createSessionFastPath(service, edgeListener)), edge: await listen(edgeListener) }

  const ask = async (server: keyof typeof ports, [request, ...lines]: string[]) => {
    counted.length = 0
    app.logs.length = 0
    edgeListener.mockClear()
    const { all, status } = await sendRaw(
      ports[server],
      [`${request} HTTP/1.1`, 'host: localhost:4443', ...lines, 'connection: close', '', ''].join('\r\n'),
    )
    const requestId = /x-request-id: ([\w-]{36})/.exec(all)?.[1]
    const logged = app.logs
      .filter((line) => line.requestId === requestId)
      .map(({ level, msg, method, path, status, procedure, key }) => ({ level, msg, method, path, status, procedure, key }))
    return {
      status,
      setsCookie: /^set-cookie: /im.test(all),
      usesEdge: edgeListener.mock.calls.length > 0,
      bytes: all
        .replaceAll(requestId ?? '…', 'ID')
        .replace(/^Date: .*$/m, 'Date: …')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/(local-floorpass_session=)[\w-]{43}/g, '$1TOKEN')
        .replaceAll(/^(x-auth-time|x-auth-user|x-auth-session): .*$/gm, '$1: …')
        .replaceAll(/"(id|token)":"[\da-f-]{36}"/g, '"$1":"UUID"'),
      counted: [...counted],
      logged,
    }
  }

  /** Sends the same request over both paths, each after its own `prepare`, and returns the answer of the fast server. */
  const compare = async (prepare: () => Promise<string[]>) => {
    const fast = await ask('fast', await prepare())
    const slow = await ask('edge', await prepare())
    expect(fast.bytes).toBe(slow.bytes)
    expect(fast.bytes).toContain('x-request-id: ID')
    expect(fast.counted).toEqual(slow.counted)
    expect(fast.counted).toHaveLength(1)
    const isLogged = fast.usesEdge || fast.setsCookie || fast.status >= 400
    expect(fast.logged).toEqual(isLogged ? slow.logged : [])
    return fast
  }
  return { app, ask, compare }
}

describe('get-session answers the same over the fast path and the edge', async () => {
  const { app, compare } = await openPaths()
  const ada = await app.verified()
  const get = 'GET /auth/get-session'
  const signInForCookie = async () => {
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email: ada.email, password: ada.password })
    return { tab, cookie: `cookie: local-floorpass_session=${tab.cookies.get('local-floorpass_session')}` }
  }
  const cached = await signInForCookie()
  await cached.tab.get('/auth/get-session')
  const zoeName = 'Zoë 漢字 🦊 ÿ'
  const zoeTab = await app.signedIn(app.person({ name: zoeName }))
  await zoeTab.get('/auth/get-session')
  const zoe = { cookie: `cookie: local-floorpass_session=${zoeTab.cookies.get('local-floorpass_session')}` }

  const newest = 'WHERE id = (SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1)'
  const unknown = `cookie: local-floorpass_session=${'A'.repeat(43)}`

  test.each<[string, string[], 'fast path' | 'edge', string]>([
    ['signed in', [get, cached.cookie], 'fast path', ada.email],
    ['signed in, on a trusted origin', [get, cached.cookie, `origin: ${trusted}`], 'fast path', trusted],
    ['signed in, as each byte of a name arrives', [get, zoe.cookie], 'fast path', Buffer.from(zoeName).toString('latin1')],
    ['signed in, on a foreign origin', [get, cached.cookie, 'origin: https://evil.example'], 'fast path', ada.email],
    ['signed in, without an origin', [get, cached.cookie, 'origin: null'], 'fast path', ada.email],
    ['signed in, with HEAD', ['HEAD /auth/get-session', cached.cookie], 'edge', '200 OK'],
    ['signed in, with a query', [`${get}?disableRefresh=true`, cached.cookie], 'edge', ada.email],
    ['anonymous', [get], 'edge', 'null'],
    ['another cookie alone', [get, 'cookie: theme=dark'], 'edge', 'null'],
    ['a cookie without a session', [get, unknown], 'fast path', 'Max-Age=0'],
    ['such a cookie on a trusted origin', [get, unknown, `origin: ${trusted}`], 'fast path', trusted],
    ['an invalid cookie', [get, 'cookie: local-floorpass_session=%00"; ;=;x'], 'fast path', 'Max-Age=0'],
    ['an empty cookie', [get, 'cookie: local-floorpass_session='], 'fast path', 'Max-Age=0'],
    ['two different cookies', [get, cached.cookie, unknown], 'edge', 'null'],
  ])('%s', async (_, lines, by, expected) => {
    const answer = await compare(async () => lines)
    expect(answer.bytes).toContain(expected)
    expect(answer.usesEdge).toBe(by === 'edge')
  })

  test.each([
    ['a session that is not cached', `SELECT 1`, ada.email],
    ['a session not seen for a day', `UPDATE sessions SET last_seen_at = now() - interval '1 day' ${newest}`, ada.email],
    ['a session due for extension', `UPDATE sessions SET updated_at = now() - interval '2 days' ${newest}`, 'session=TOKEN'],
    ['an expired session', `UPDATE sessions SET expires_at = now() - interval '1 second' ${newest}`, 'Max-Age=0'],
    ['a revoked session', `DELETE FROM sessions ${newest}`, 'Max-Age=0'],
    ['a suspended user', 'UPDATE users SET suspended_at = now()', 'Max-Age=0'],
  ])('%s', async (_, change, expected) => {
    const answer = await compare(async () => {
      await app.db.user.updateMany({ data: { suspendedAt: null } })
      const { cookie } = await signInForCookie()
      await app.db.$executeRawUnsafe(change)
      return [get, cookie]
    })
    expect(answer.bytes).toContain(expected)
    expect(answer.usesEdge).toBe(false)
  })

  test('a bug', async () => {
    const read = vi.spyOn(app.service.deps.sessionCache, 'read').mockImplementation(() => {
      throw new Error('a bug')
    })
    onTestFinished(() => read.mockRestore())
    const answer = await compare(async () => [get, unknown])
    expect([answer.status, answer.usesEdge]).toEqual([500, false])
  })
})

describe('verify answers the same over the fast path and the edge', async () => {
  const { app, compare } = await openPaths({ TOKEN_AUDIENCES: 'urn:risk' })
  const tab = await app.signedIn()
  await tab.get('/auth/verify')
  const cookie = `cookie: local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
  const verify = 'GET /auth/verify'

  test.each<[string, string[], 'fast path' | 'edge', string]>([
    ['signed in', [verify, cookie], 'fast path', 'x-auth-acr: aal1'],
    ['signed in, with requirements', [`${verify}?acr=aal1&scope=order:read`, cookie], 'fast path', 'x-auth-acr: aal1'],
    ['signed in, on a trusted origin', [verify, cookie, `origin: ${trusted}`], 'fast path', trusted],
    ['an unmet requirement', [`${verify}?acr=aal2`, cookie], 'edge', 'INSUFFICIENT_USER_AUTHENTICATION'],
    ['a wrong parameter', [`${verify}?arc=aal2`, cookie], 'edge', 'VALIDATION_ERROR'],
    ['a parameter twice', [`${verify}?acr=aal1&acr=aal1`, cookie], 'edge', 'VALIDATION_ERROR'],
    ['a token that is no token', [verify, cookie, 'authorization: Bearer x'], 'edge', 'invalid_token'],
    ['a signature', [verify, cookie, 'signature: a=:YQ==:', 'signature-input: a=();keyid="a"'], 'edge', 'SIGNATURE_INVALID'],
    ['a key', [verify, cookie, 'x-api-key: x'], 'edge', 'INVALID_API_KEY'],
    ['another scheme', [verify, cookie, 'authorization: Basic x'], 'edge', 'x-auth-acr: aal1'],
    ['a path that begins alike', [`${verify}/x`, cookie], 'edge', 'NOT_FOUND'],
    ['a longer path', [`${verify}er`, cookie], 'edge', 'NOT_FOUND'],
    ['anonymous', [verify], 'edge', 'UNAUTHORIZED'],
    ['HEAD', ['HEAD /auth/verify', cookie], 'edge', 'x-auth-acr: aal1'],
    ['POST', ['POST /auth/verify', cookie, `origin: ${trusted}`, 'content-length: 0'], 'edge', 'METHOD_NOT_ALLOWED'],
  ])('%s', async (_, lines, by, expected) => {
    const answer = await compare(async () => lines)
    expect(answer.bytes).toContain(expected)
    expect(answer.usesEdge).toBe(by === 'edge')
  })
})

describe('get-session behind a trusted proxy answers the same over the fast path and the edge', async () => {
  const { app, compare } = await openPaths({ TRUST_PROXY: 'loopback' })
  const ada = await app.verified()
  const due = "UPDATE sessions SET updated_at = now() - interval '2 days'"

  test.each([
    ['x-forwarded-proto: https', true],
    ['x-forwarded-proto: HTTP/1.1', true],
    ['x-forwarded-proto: https, http', true],
    ['x-forwarded-proto: javascript', true],
    ['x-forwarded-proto:', true],
    ['x-forwarded-proto: http', false],
    ['x-forwarded-proto:  HTTP ,https', false],
    ['x-forwarded-proto: http\r\nx-forwarded-proto: https', false],
    ['x-forwarded-host: evil.test', false],
  ])('T67: %j', async (line, isSecure) => {
    const extended = await compare(async () => {
      const tab = app.browser()
      await tab.post('/auth/sign-in/email', { email: ada.email, password: ada.password })
      await app.db.$executeRawUnsafe(due)
      return ['GET /auth/get-session', `cookie: local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`, line]
    })
    const cleared = await compare(async () => ['GET /auth/get-session', 'cookie: local-floorpass_session=x', line])
    for (const { bytes, usesEdge } of [extended, cleared]) {
      expect([usesEdge, /SameSite=Lax(; Secure)?\r/.exec(bytes)?.[1]]).toEqual([false, isSecure ? '; Secure' : undefined])
      expect(bytes).not.toContain('strict-transport-security')
    }
    expect(extended.bytes).toContain(ada.email)
  })
})

describe('get-session with COOKIE_DOMAIN answers the same over the fast path and the edge', async () => {
  const { app, compare } = await openPaths({
    BASE_URL: 'https://accounts.floor.localhost:4443',
    COOKIE_DOMAIN: 'floor.localhost',
  })
  const [own, shared] = ['__Host-floorpass_session', '__Secure-floorpass_session']
  const [ada, bob] = [await app.signedIn(), await app.signedIn()]
  const [first, second] = [ada.cookies.get(own) ?? '', bob.cookies.get(own) ?? '']

  test.each<[string, string, 'fast path' | 'edge', string]>([
    ['both cookies', `${own}=${first}; ${shared}=${first}`, 'fast path', ada.person.email],
    ['the shared cookie alone', `${shared}=${first}`, 'fast path', ada.person.email],
    ['a planted shared cookie', `${shared}=${second}; ${own}=${first}`, 'fast path', ada.person.email],
    ['two shared cookies beside the own one', `${shared}=x; ${shared}=y; ${own}=${first}`, 'fast path', ada.person.email],
    ['two shared cookies alone', `${shared}=x; ${shared}=${first}`, 'edge', 'null'],
    ['a stale shared cookie', `${shared}=x`, 'fast path', 'Max-Age=0'],
    ['a stale own cookie beside a shared one', `${own}=x; ${shared}=${first}`, 'fast path', 'Max-Age=0'],
  ])('%s', async (_, cookie, by, expected) => {
    const answer = await compare(async () => ['GET /auth/get-session', `cookie: ${cookie}`])
    expect(answer.bytes).toContain(expected)
    expect(answer.usesEdge).toBe(by === 'edge')
    if (expected === 'Max-Age=0') expect(answer.bytes.match(/set-cookie: /gi)).toHaveLength(2)
  })
})

describe('limits on get-session are the same over the fast path and the edge', async () => {
  const { app, ask, compare } = await openPaths({ RATE_LIMIT: 'on' })
  const forged = ['GET /auth/get-session', `cookie: local-floorpass_session=${'A'.repeat(43)}`]
  const caller = createContext(
    app.service.deps,
    { ip: '127.0.0.1', userAgent: '', locale: 'en', bearer: null, serviceKey: null, apiKey: null, signedRequest: null },
    { get: () => undefined, all: () => [], set() {} },
  )
  const useUpReads = async () => {
    const { addressPerMinute, readsPerSecond } = policy.sessionMisses
    // This second does not end before the requests.
    holdMonotonicClock()
    expect(() => {
      for (let count = 0; count <= addressPerMinute + readsPerSecond; count += 1)
        caller.sessionMisses.startRead(caller).countMiss()
    }).toThrow(AppError)
    return forged
  }

  test('an address without requests left is still answered', async () => {
    const { points } = limits['request:ip']
    await app.service.deps.limiter.consume('request:ip', '127.0.0.1', points)
    expect((await ask('edge', ['GET /auth/list-sessions'])).status).toBe(429)
    const answer = await compare(async () => forged)
    expect([answer.status, answer.usesEdge]).toEqual([200, false])
    expect(answer.bytes).not.toContain('ratelimit')
  })

  test('an address without reads left gets 429', async () => {
    const answer = await compare(useUpReads)
    expect([answer.status, answer.usesEdge]).toEqual([429, false])
    expect(answer.bytes).toContain('retry-after: 1')
  })
})

test('get-session without a database is the same 503 over the fast path and the edge', async () => {
  const { app, compare } = await openPaths()
  await app.loseDatabase()
  const answer = await compare(async () => ['GET /auth/get-session', `cookie: local-floorpass_session=${'A'.repeat(43)}`])
  expect([answer.status, answer.usesEdge, answer.setsCookie]).toEqual([503, false, false])
  expect(answer.bytes).toContain('retry-after: 1')
})
