import { createHash } from 'node:crypto'
import { createBrowser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'
import { createEdge, type Pages } from '../../edge.ts'

const app = await createTestApp({
  BASE_URL: 'https://accounts.floor.localhost',
  COOKIE_DOMAIN: 'floor.localhost',
  TRUSTED_ORIGINS: 'https://app.floor.localhost',
})
const [own, shared] = ['__Host-floorpass_session', '__Secure-floorpass_session']
const domain = 'Domain=floor.localhost; '

type Tab = { cookies: Map<string, string> }
const tokenOf = ({ cookies }: Tab): string => cookies.get(own) ?? ''
const countSessions = (userId: string) => app.db.session.count({ where: { userId } })
const sessionCookiesOf = (setCookies: string[]) => setCookies.filter((cookie) => cookie.includes('floorpass_session='))

/** The server of a sibling host, which gets the shared cookie and forwards it. */
const sibling = (token: string) => {
  const server = app.browser({ origin: 'https://app.floor.localhost' })
  server.cookies.set(shared, token)
  return server
}

describe('with COOKIE_DOMAIN', () => {
  test('T140: a sign-in sets the host cookie and a shared one with the same token; all other cookies stay on the host', async () => {
    const { email, password } = await app.verified()
    const { setCookies } = await app.browser().post('/auth/sign-in/email', { email, password })
    const [first = '', second, ...others] = setCookies
    expect(first).toMatch(/^__Host-floorpass_session=[\w-]{43}; HttpOnly; Max-Age=604800; Path=\/; SameSite=Lax; Secure$/)
    expect(second).toBe(first.replace(own, shared).replace('HttpOnly', `${domain}HttpOnly`))
    expect(others).toEqual([
      expect.stringMatching(/^__Host-floorpass_known_device=/),
      expect.stringMatching(/^__Host-floorpass_sign_in_method=/),
    ])
    expect(others.join()).not.toContain('Domain')
  })

  test('T143: a sign-out clears both cookies with their attributes and ends the session', async () => {
    const tab = await app.signedIn()
    const rest = 'HttpOnly; Max-Age=0; Path=/; SameSite=Lax; Secure'
    expect((await tab.post('/auth/sign-out')).setCookies).toEqual([`${own}=; ${rest}`, `${shared}=; ${domain}${rest}`])
    expect(await countSessions(tab.userId)).toBe(0)
  })

  test('an extension, a new token and a stale session set both cookies', async () => {
    const tab = await app.signedIn()
    await app.db.$executeRaw`UPDATE sessions SET updated_at = now() - interval '2 days' WHERE user_id = ${tab.userId}`
    const extend = () => tab.get('/auth/get-session')
    const renew = () => tab.post('/auth/reauthenticate', { password: tab.person.password })
    for (const act of [extend, renew]) {
      const { setCookies } = await act()
      expect(sessionCookiesOf(setCookies)).toEqual([
        expect.stringMatching(`^${own}=${tokenOf(tab)}; HttpOnly; Max-Age=`),
        expect.stringMatching(`^${shared}=${tokenOf(tab)}; ${domain}HttpOnly; Max-Age=`),
      ])
    }
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(2)
    expect([...tab.cookies.keys()]).toEqual(['__Host-floorpass_known_device', '__Host-floorpass_sign_in_method'])
  })

  test('without "remember me" both cookies end with the browser', async () => {
    const { email, password } = await app.verified()
    const { setCookies } = await app.browser().post('/auth/sign-in/email', { email, password, rememberMe: false })
    for (const cookie of sessionCookiesOf(setCookies)) expect(cookie).not.toContain('Max-Age')
    expect(sessionCookiesOf(setCookies)).toHaveLength(2)
  })

  test("a sibling's server reads and changes with the shared cookie alone, until the session ends", async () => {
    const tab = await app.signedIn()
    const server = sibling(tokenOf(tab))
    // The second answer comes from memory.
    for (let count = 0; count < 2; count += 1)
      expect((await server.get('/auth/get-session')).body).toMatchObject({ user: { id: tab.userId } })
    expect((await server.get('/trpc/sessions.get')).body).toMatchObject({ result: { data: { user: { id: tab.userId } } } })
    expect((await server.post('/auth/update-user', { name: 'Ada B' })).status).toBe(200)
    await tab.post('/auth/sign-out')
    expect((await server.get('/auth/get-session')).body).toBeNull()
    expect((await sibling(tokenOf(tab)).get('/auth/list-sessions')).code).toBe('UNAUTHORIZED')
  })

  test('a sign-out with the shared cookie alone ends the session', async () => {
    const tab = await app.signedIn()
    expect((await sibling(tokenOf(tab)).post('/auth/sign-out')).status).toBe(200)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
  })

  test('the API document and the smoke tests name the cookie that other services see', async () => {
    const { body } = await app.browser().get('/auth/openapi.json')
    expect(body).toMatchObject({ components: { securitySchemes: { session: { name: shared } } } })
  })
})

describe('T141: a session cookie that a sibling host planted', () => {
  test('does not replace the session of this host', async () => {
    const [attacker, victim] = [await app.signedIn(), await app.signedIn()]
    victim.cookies.set(shared, tokenOf(attacker))
    for (const path of ['/auth/get-session', '/auth/get-session', '/auth/get-session?by=edge'])
      expect((await victim.get(path)).body).toMatchObject({ user: { id: victim.userId } })
    expect((await victim.post('/auth/update-user', { name: 'Mallory' })).status).toBe(200)
    expect(await app.db.user.findUnique({ where: { id: attacker.userId } })).not.toMatchObject({ name: 'Mallory' })
  })

  test('does not sign the victim out, although two values arrive, and a sign-out ends all of them', async () => {
    const [attacker, victim] = [await app.signedIn(), await app.signedIn()]
    const cookie = [
      `${shared}=${tokenOf(attacker)}`,
      ...Array.from({ length: 12 }, (_, index) => `${shared}=planted-${index}`),
      `${own}=${tokenOf(victim)}`,
      `${shared}=${tokenOf(victim)}`,
    ].join('; ')
    const { body } = await app.browser().get('/auth/get-session', { headers: { cookie } })
    expect(body).toMatchObject({ user: { id: victim.userId } })
    await app.browser().post('/auth/sign-out', {}, { headers: { cookie } })
    expect([await countSessions(attacker.userId), await countSessions(victim.userId)]).toEqual([0, 0])
  })

  test('never becomes the session of the user who signs in: the token is new and the planted session ends', async () => {
    const attacker = await app.signedIn()
    const planted = tokenOf(attacker)
    const { email, password } = await app.verified()
    const victim = app.browser()
    victim.cookies.set(shared, planted)
    await victim.post('/auth/sign-in/email', { email, password })
    expect([tokenOf(victim), victim.cookies.get(shared)]).not.toContain(planted)
    expect(victim.cookies.get(shared)).toBe(tokenOf(victim))
    expect((await sibling(planted).get('/auth/get-session')).body).toBeNull()
  })

  test("opens no page of ours: a signed-out victim does not land in the attacker's account", async () => {
    const pages: Pages = async (_request, { api }) => Response.json(await api.sessions.get())
    const edge = createEdge(app.service, pages)
    const attacker = await app.signedIn()
    const victim = createBrowser(edge, app.baseUrl)
    victim.cookies.set(shared, tokenOf(attacker))
    for (const path of ['/dashboard', '/settings/security', '/authx/y', '/x/auth/y'])
      expect([path, (await victim.get(path)).body]).toEqual([path, null])
    expect((await victim.post('/login')).body).toBeNull()
    victim.cookies.set(own, tokenOf(attacker))
    expect((await victim.get('/dashboard')).body).toMatchObject({ user: { id: attacker.userId } })
  })

  test('is believed by the API, which cannot tell it from a sibling server: docs/deployment.md says so', async () => {
    const attacker = await app.signedIn()
    expect((await sibling(tokenOf(attacker)).get('/auth/get-session')).body).toMatchObject({ user: { id: attacker.userId } })
  })

  test.each([
    `__Secure-floorpass_known_device`,
    `__Secure-floorpass_two_factor`,
    'local-floorpass_session',
    'floorpass_two_factor',
  ])('has no power under the name %s', async (name) => {
    const attacker = await app.signedIn()
    const victim = app.browser()
    victim.cookies.set(name, tokenOf(attacker))
    expect((await victim.get('/auth/get-session')).body).toBeNull()
  })
})

describe('COOKIE_DOMAIN is set or unset while people are signed in', () => {
  const { settings } = app.service.deps
  const withDomain = (name: string | null) => {
    const cookie = { ...settings.cookie, domain: name }
    return createEdge({ ...app.service, deps: { ...app.service.deps, settings: { ...settings, cookie } } })
  }
  const [on, off] = [withDomain('floor.localhost'), withDomain(null)]

  /** One browser, whose next requests reach a process with the setting or one without. */
  const openBrowser = () => {
    let edge = on
    const tab = createBrowser({ fetch: (request, connection) => edge.fetch(request, connection) }, app.baseUrl)
    const to = (next: typeof on) => {
      edge = next
      return tab
    }
    return { on: () => to(on), off: () => to(off) }
  }
  const countLive = async ({ cookies }: Tab) => {
    const ids = [own, shared].map((name) =>
      createHash('sha256')
        .update(cookies.get(name) ?? '')
        .digest('base64url'),
    )
    return app.db.session.count({ where: { id: { in: ids } } })
  }

  test('keeps every user signed in', async () => {
    const { email, password } = await app.verified()
    const browser = openBrowser()
    await browser.off().post('/auth/sign-in/email', { email, password })
    for (const tab of [browser.on(), browser.off(), browser.on()])
      expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email } })
  })

  test('one browser never has two live sessions, in whatever order people sign in', async () => {
    const people = [await app.verified(), await app.verified()]
    const browser = openBrowser()
    for (const setting of ['on', 'off', 'off', 'on', 'on', 'off'] as const) {
      for (const { email, password } of people) {
        const tab = browser[setting]()
        await tab.post('/auth/sign-in/email', { email, password })
        expect(await countLive(tab)).toBe(1)
        expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email } })
      }
    }
  })

  test('a sign-in ends the session of a shared cookie that is left over alone', async () => {
    const { email, password } = await app.verified()
    const former = await app.signedIn()
    for (const edge of [on, off]) {
      const tab = createBrowser(edge, app.baseUrl)
      const again = createBrowser(on, app.baseUrl)
      await again.post('/auth/sign-in/email', { email: former.person.email, password: former.person.password })
      tab.cookies.set(shared, again.cookies.get(shared) ?? '')
      await tab.post('/auth/sign-in/email', { email, password })
      expect((await sibling(again.cookies.get(shared) ?? '').get('/auth/get-session')).body).toBeNull()
    }
  })

  test('a sign-out ends the sessions of both cookies', async () => {
    for (const edge of [on, off]) {
      const [one, other] = [await app.signedIn(), await app.signedIn()]
      const tab = createBrowser(edge, app.baseUrl)
      tab.cookies.set(own, tokenOf(one))
      tab.cookies.set(shared, tokenOf(other))
      expect((await tab.post('/auth/sign-out')).status).toBe(200)
      expect([await countSessions(one.userId), await countSessions(other.userId)]).toEqual([0, 0])
    }
  })
})
