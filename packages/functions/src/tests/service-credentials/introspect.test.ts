import { policy } from '@floorpass/api'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { handleOf, serviceKey } from '@floorpass/testing/route-samples'
import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const headers = { authorization: `Bearer ${serviceKey}` }
const introspect = async (token: unknown) => app.browser({ origin: null }).post('/auth/introspect', { token }, { headers })
const answerFor = async (token: unknown) => (await introspect(token)).body
const inactive = { active: false }

async function signInForToken(remember = true) {
  const { email, password } = await app.verified()
  const tab = app.browser()
  const { body } = await tab.post('/auth/sign-in/email', { email, password, rememberMe: remember })
  return {
    tab,
    email,
    token: tab.cookies.get('local-floorpass_session') ?? '',
    userId: (body as { user: { id: string } }).user.id,
  }
}
const readSession = (userId: string) => app.db.session.findFirstOrThrow({ where: { userId } })

describe('introspection of a session', () => {
  test('describes the user, the sign-in and the expiry', async () => {
    const { tab, token, userId } = await signInForToken()
    const { createdAt, expiresAt } = await readSession(userId)
    const seconds = (time: Date) => Math.floor(time.getTime() / 1000)
    expect((await introspect(token)).body).toEqual({
      active: true,
      iss: app.baseUrl,
      sub: userId,
      sid: await handleOf(tab),
      client_id: app.baseUrl,
      exp: seconds(expiresAt),
      iat: seconds(createdAt),
      auth_time: seconds(createdAt),
      acr: 'aal1',
      amr: ['pwd'],
      scope: 'account:read order:read order:cancel withdrawal:read withdrawal:create organization:read',
      trading: false,
      token_type: 'session',
    })
    await app.db.user.update({ where: { id: userId }, data: { tradingEnabled: true } })
    expect(await answerFor(token)).toMatchObject({ trading: true })
    const founded = await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${userId}` })
    const { id: organizationId } = founded.body as { id: string }
    await tab.post('/auth/organization/set-active', { organizationId })
    expect(await answerFor(token)).toMatchObject({ org: organizationId, role: 'owner' })
  })

  test('reads a form, as RFC 7662 sends it, and ignores fields that it does not know', async () => {
    const { token } = await signInForToken()
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new TextEncoder().encode(`token=${token}&token_type_hint=access_token`)
    const { body: answer } = await app.browser({ origin: null }).request('POST', '/auth/introspect', { body, headers: form })
    expect(answer).toMatchObject({ active: true })
  })

  test('sets no cookie and is never cached', async () => {
    const answer = await introspect((await signInForToken()).token)
    expect([answer.setCookies, answer.headers.get('cache-control')]).toEqual([[], 'no-store'])
  })

  test('is inactive at once when the session is revoked, its user is suspended or deleted', async () => {
    const [revoked, suspended, deleted] = [await signInForToken(), await signInForToken(), await signInForToken()]
    for (const { token } of [revoked, suspended, deleted]) expect(await answerFor(token)).toMatchObject({ active: true })
    await revoked.tab.post('/auth/sign-out')
    await app.db.user.update({ where: { id: suspended.userId }, data: { suspendedAt: new Date() } })
    await app.db.user.delete({ where: { id: deleted.userId } })
    for (const { token } of [revoked, suspended, deleted]) expect(await answerFor(token)).toEqual(inactive)
  })

  test('is inactive from the second of the expiry, in memory and in the database', async () => {
    const { token } = await signInForToken(false)
    const clock = holdClock()
    expect(await answerFor(token)).toMatchObject({ active: true })
    clock.advance(policy.session.browserLifetime - 2)
    expect(await answerFor(token)).toMatchObject({ active: true })
    clock.advance(3)
    expect(await answerFor(token)).toEqual(inactive)
    const unread = await createTestApp({ SERVICE_KEYS: serviceKey })
    expect((await unread.browser({ origin: null }).post('/auth/introspect', { token }, { headers })).body).toEqual(inactive)
  })

  test.each([
    ['an unknown token', 'A'.repeat(43)],
    ['a text', 'x'],
    ['the prefix of a token', 'fps_'],
    ['a long text', 'x'.repeat(4096)],
    ['SQL', "' OR '1'='1"],
  ])('is inactive for %s', async (_, token) => {
    expect(await answerFor(token)).toEqual(inactive)
  })

  test('is inactive for the handle and the hash of a session', async () => {
    const { tab, userId } = await signInForToken()
    expect(await answerFor(await handleOf(tab))).toEqual(inactive)
    expect(await answerFor((await readSession(userId)).id)).toEqual(inactive)
  })

  test.each([
    ['no token', undefined],
    ['an empty one', ''],
    ['a number', 7],
    ['a list', ['x']],
    ['more than 4096 characters', 'x'.repeat(4097)],
  ])('refuses %s', async (_, token) => {
    expect((await introspect(token)).code).toBe('VALIDATION_ERROR')
  })
})

describe('introspection is no use of the session', () => {
  test('it extends nothing and leaves the time when the user was last seen', async () => {
    const { tab, token, userId } = await signInForToken()
    const before = await readSession(userId)
    const clock = holdClock()
    clock.advance(policy.session.updateAge + 60)
    for (let count = 0; count < 3; count += 1) expect(await answerFor(token)).toMatchObject({ active: true })
    expect(await readSession(userId)).toEqual(before)
    // The user's own next request does both.
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(1)
    const after = await readSession(userId)
    expect(after.expiresAt.getTime()).toBeGreaterThan(before.expiresAt.getTime())
    expect(after.lastSeenAt.getTime()).toBeGreaterThan(before.lastSeenAt.getTime())
  })

  test('it reads a session from memory after the first time, also when the user was not seen for a while', async () => {
    const { tab, token, userId } = await signInForToken()
    const lastSeenAt = new Date(Date.now() - (policy.session.lastSeenPrecision + 60) * 1000)
    await app.db.session.updateMany({ where: { userId }, data: { lastSeenAt } })
    expect(await answerFor(token)).toMatchObject({ active: true })
    const query = vi.spyOn(app.service.deps.sql, '$queryRaw')
    onTestFinished(() => query.mockRestore())
    // On a busy machine, a late heartbeat of the session channel may force another read.
    const isReadFromMemory = () =>
      eventually(async () => {
        query.mockClear()
        expect(await answerFor(token)).toMatchObject({ active: true })
        expect(query).not.toHaveBeenCalled()
      })
    await isReadFromMemory()
    await tab.get('/auth/get-session')
    await isReadFromMemory()
  })
})

describe('introspection of an access token', () => {
  const getToken = async (tab: Awaited<ReturnType<typeof signInForToken>>['tab']) =>
    ((await tab.get('/auth/token')).body as { token: string }).token

  test('answers its claims while its session lives, and inactive afterwards', async () => {
    const { tab, userId } = await signInForToken()
    const token = await getToken(tab)
    const { iat = 0 } = decodeJwt(token)
    expect(await answerFor(token)).toMatchObject({
      active: true,
      sub: userId,
      aud: app.baseUrl,
      iat,
      exp: iat + policy.accessToken.lifetime,
      token_type: 'Bearer',
    })
    await tab.post('/auth/sign-out')
    expect(await answerFor(token)).toEqual(inactive)
  })

  test('keeps the organization of the token, with the role of this moment', async () => {
    const { tab, userId } = await signInForToken()
    const founded = await tab.post('/auth/organization/create', { name: 'Desk', slug: `token-${userId}` })
    const { id: organizationId } = founded.body as { id: string }
    await tab.post('/auth/organization/set-active', { organizationId })
    const token = await getToken(tab)
    await tab.post('/auth/organization/set-active', { organizationId: null })
    expect(await answerFor(token)).toMatchObject({ org: organizationId, role: 'owner' })
    await app.db.member.updateMany({ where: { userId }, data: { role: 'member' } })
    expect(await answerFor(token)).toMatchObject({ org: organizationId, role: 'member' })
  })

  test('is inactive for a forged or expired token', async () => {
    const clock = holdClock()
    const token = await getToken((await signInForToken()).tab)
    expect(await answerFor(`${token.slice(0, -4)}AAAA`)).toEqual(inactive)
    clock.advance(policy.accessToken.lifetime + policy.accessToken.clockTolerance + 1)
    expect(await answerFor(token)).toEqual(inactive)
  })
})
