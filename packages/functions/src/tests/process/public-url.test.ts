import { randomUUID } from 'node:crypto'
import { type Browser, createBrowser } from '@floorpass/testing/browser'
import { type FrontProxy, startFrontProxy } from '@floorpass/testing/front-proxy'
import { mailedText } from '@floorpass/testing/mailed-text'
import { sendRaw } from '@floorpass/testing/raw-http'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { afterAll, describe, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const port = await freePort()
// The proxy connects from the trusted address. Everything else on this machine is an untrusted peer.
const trusted = '127.0.0.2'
const server = await startServer({
  ...(await databaseEnvironment()),
  PORT: String(port),
  BASE_URL: 'http://localhost',
  TRUST_PROXY: trusted,
  DATA_DIR: dataDir,
  RATE_LIMIT: 'off',
})
const secure = await startFrontProxy({ port, from: trusted })
const plain = await startFrontProxy({ port, from: trusted }, { tls: false })
const untrusted = await startFrontProxy({ port, from: '127.0.0.3' })
afterAll(() => {
  for (const proxy of [secure, plain, untrusted]) proxy.close()
})

const session = 'local-floorpass_session'
const pageOf = (proxy: FrontProxy, origin: string) => createBrowser({ fetch: (request) => proxy.fetch(request) }, origin)

async function signUp(tab: Browser) {
  const person = { name: 'Ada', email: `ada-${randomUUID()}@example.test`, password: 'plum kettle orbit' }
  expect((await tab.post('/auth/sign-up/email', person)).status).toBe(200)
  const text = await mailedText(dataDir, person.email)
  const token = /token=([\w-]+)/.exec(text)?.[1]
  expect((await tab.post('/auth/verify-email', { token })).status).toBe(200)
  return { ...person, text }
}

const ada = await signUp(pageOf(plain, 'http://localhost'))
const signInThroughProxy = (tab: Browser, headers: Record<string, string> = {}) =>
  tab.post('/auth/sign-in/email', { email: ada.email, password: ada.password }, { headers })
const withoutSecure = ({ setCookies }: { setCookies: string[] }) => setCookies.filter((cookie) => !cookie.endsWith('; Secure'))

describe('behind a trusted proxy that ends TLS', () => {
  test('a page over https is of the own origin, and every cookie is Secure', async () => {
    const tab = pageOf(secure, 'https://localhost')
    const answer = await signInThroughProxy(tab)
    expect([answer.status, withoutSecure(answer), answer.setCookies.length]).toEqual([200, [], 3])
    expect((await tab.post('/auth/update-user', { name: 'Ada B' }, { headers: { referer: 'https://localhost/x' } })).status).toBe(
      200,
    )
    const signOut = await tab.post('/auth/sign-out')
    expect([signOut.status, withoutSecure(signOut)]).toEqual([200, []])
  })

  test('a form of a page works: the guard redirects, the language cookie is Secure', async () => {
    const tab = pageOf(secure, 'https://localhost')
    const guard = await tab.get('/dashboard')
    expect([guard.status, guard.headers.get('location')]).toEqual([302, '/login?redirectTo=%2Fdashboard'])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ email: ada.email, password: ada.password }).toString()
    const answer = await tab.post('/login?redirectTo=%2Fsettings', body, { headers: form })
    expect([answer.status, answer.headers.get('location'), withoutSecure(answer)]).toEqual([302, '/settings', []])
    expect((await tab.get('/dashboard')).status).toBe(200)
  })

  test('links in emails come from BASE_URL', async () => {
    const { text } = await signUp(pageOf(secure, 'https://localhost'))
    expect(text.match(/https?:\/\/[^/\s]+/g)).toEqual(expect.arrayContaining(['http://localhost']))
    expect(text).not.toContain('https://localhost')
  })

  test('HSTS follows BASE_URL: over https it would lock http out of localhost', async () => {
    expect((await pageOf(secure, 'https://localhost').get('/login')).headers.has('strict-transport-security')).toBe(false)
  })

  test.each([
    ['a host that is not trusted', 'https://evil.test', 'https://evil.test'],
    ['another port of the host', 'https://localhost:8443', 'https://localhost:8443'],
    ['a foreign origin', 'https://localhost', 'https://evil.test'],
    ['a host below the own one', 'https://a.localhost', 'https://a.localhost'],
  ])('%s is not the own origin', async (_, url, origin) => {
    const answer = await signInThroughProxy(pageOf(secure, url), { origin })
    expect([answer.status, answer.code, answer.setCookies]).toEqual([403, 'INVALID_ORIGIN', []])
  })

  test('X-Forwarded-Host and Forwarded name no own origin', async () => {
    const headers = { origin: 'https://localhost', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost;proto=https' }
    expect((await signInThroughProxy(pageOf(secure, 'https://evil.test'), headers)).code).toBe('INVALID_ORIGIN')
  })

  test('one browser keeps one session over http and https', async () => {
    const [onHttps, onHttp] = [pageOf(secure, 'https://localhost'), pageOf(plain, 'http://localhost')]
    const carry = (from: Browser, to: Browser) => {
      to.cookies.clear()
      for (const [name, value] of from.cookies) to.cookies.set(name, value)
    }
    await signInThroughProxy(onHttps)
    const first = onHttps.cookies.get(session)
    carry(onHttps, onHttp)
    expect((await onHttp.get('/auth/get-session')).body).toMatchObject({ user: { email: ada.email } })
    const again = await signInThroughProxy(onHttp)
    expect(again.setCookies.filter((cookie) => cookie.endsWith('; Secure'))).toEqual([])
    carry(onHttp, onHttps)
    expect((await onHttps.get('/auth/get-session')).body).toMatchObject({ user: { email: ada.email } })
    const former = { headers: { cookie: `${session}=${first}` } }
    expect((await pageOf(secure, 'https://localhost').get('/auth/get-session', former)).body).toBeNull()
    expect([...onHttps.cookies.keys()].filter((name) => name.includes('session'))).toEqual([session])
  })
})

describe('behind a proxy that is not trusted', () => {
  test('https is not believed: the own origin is refused, and cookies are not Secure', async () => {
    const tab = pageOf(untrusted, 'https://localhost')
    expect((await signInThroughProxy(tab)).code).toBe('INVALID_ORIGIN')
    const answer = await signInThroughProxy(tab, { origin: 'http://localhost' })
    expect([answer.status, withoutSecure(answer)]).toEqual([200, answer.setCookies])
  })

  test('an absolute target does not make a request https', async () => {
    const body = JSON.stringify({ email: ada.email, password: ada.password })
    const ask = (origin: string) =>
      sendRaw(
        server.port,
        [
          'POST https://localhost/auth/sign-in/email HTTP/1.1',
          ...['host: localhost', `origin: ${origin}`, 'content-type: application/json', `content-length: ${body.length}`],
          ...['connection: close', '', body],
        ].join('\r\n'),
      )
    expect((await ask('https://localhost')).body).toContain('INVALID_ORIGIN')
    const { status, head } = await ask('http://localhost')
    expect([status, head.includes('; Secure')]).toEqual([200, false])
  })
})
