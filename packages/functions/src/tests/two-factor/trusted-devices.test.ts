import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 24 * 3600
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Signs a person in who has a second factor and trusted a laptop. */
async function signInWithLaptop() {
  const clock = holdClock()
  const phone = await app.signedIn()
  const { person, userId } = phone
  const { authenticator, backupCodes } = await switchOnTwoFactor(phone, person.password)
  clock.advance(60)
  const laptop = app.browser()
  const signIn = (tab: Browser = laptop) =>
    tab.post('/auth/sign-in/email', { email: person.email, password: person.password }, { headers: { 'user-agent': firefox } })
  await signIn()
  const answer = await laptop.post(
    '/auth/two-factor/verify',
    { code: authenticator.code(), trustDevice: true },
    { headers: { 'user-agent': firefox } },
  )
  expect(answer.status).toBe(200)
  return { clock, phone, laptop, person, userId, authenticator, backupCodes, signIn, answer }
}
const getTrustToken = (tab: Browser) => tab.cookies.get('floorpass_trusted_device')
const challengeAnswer = { twoFactorRedirect: true, twoFactorMethods: ['totp'] }
const listDevices = async (tab: Pick<Browser, 'get'>) =>
  (await tab.get('/auth/two-factor/list-trusted-devices')).body as (Record<string, unknown> & { id: string })[]

describe('a trusted device', () => {
  test('is trusted only by choice', async () => {
    const { phone, person, userId, authenticator, clock } = await signInWithLaptop()
    const findLastSignIn = () => app.db.auditEvent.findFirst({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' } })
    expect((await findLastSignIn())?.details).toEqual({ factor: 'totp', trusted: true })
    clock.advance(60)
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email: person.email, password: person.password })
    await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    expect([getTrustToken(tab), getTrustToken(phone)]).toEqual([undefined, undefined])
    expect((await findLastSignIn())?.details).toEqual({ factor: 'totp' })
    expect(await app.db.trustedDevice.count({ where: { userId } })).toBe(1)
  })

  test('is listed until its trust ends', async () => {
    const { laptop, userId } = await signInWithLaptop()
    expect(await listDevices(laptop)).toHaveLength(1)
    await app.db.trustedDevice.updateMany({ where: { userId }, data: { expiresAt: new Date() } })
    expect(await listDevices(laptop)).toEqual([])
  })

  test('skips the code, with a new token each time, and stays the same device', async () => {
    const { laptop, userId, signIn, answer } = await signInWithLaptop()
    expect(answer.setCookies.find((cookie) => cookie.startsWith('floorpass_trusted_device='))).toMatch(
      /^floorpass_trusted_device=[\w-]{43}; HttpOnly; Max-Age=2592000; Path=\/; SameSite=Lax$/,
    )
    const [first, known] = [getTrustToken(laptop), await app.db.trustedDevice.findFirstOrThrow({ where: { userId } })]
    await laptop.post('/auth/sign-out')
    const secondSignIn = await signIn()
    expect(secondSignIn.body).toMatchObject({ token: await handleOf(laptop), user: { id: userId } })
    expect(getTrustToken(laptop)).not.toBe(first)
    expect(await app.db.trustedDevice.findMany({ where: { userId } })).toMatchObject([
      { id: known.id, expiresAt: known.expiresAt },
    ])
    const thief = app.browser()
    thief.cookies.set('floorpass_trusted_device', first ?? '')
    expect((await signIn(thief)).body).toEqual(challengeAnswer)
    expect(await app.db.auditEvent.findFirst({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' } })).toMatchObject({
      details: { factor: 'trusted-device' },
    })
  })

  test('needs the password', async () => {
    const { laptop, person } = await signInWithLaptop()
    await laptop.post('/auth/sign-out')
    expect((await laptop.post('/auth/sign-in/email', { email: person.email, password: 'something else' })).code).toBe(
      'INVALID_EMAIL_OR_PASSWORD',
    )
    expect((await laptop.get('/auth/get-session')).body).toBeNull()
  })

  test('ends thirty days after the code, however often it is used', async () => {
    const { laptop, clock, signIn } = await signInWithLaptop()
    clock.advance(20 * day)
    const secondSignIn = await signIn()
    expect(secondSignIn.setCookies.find((cookie) => cookie.startsWith('floorpass_trusted_device='))).toContain('Max-Age=864000')
    clock.advance(10 * day)
    expect((await signIn()).body).toEqual(challengeAnswer)
    expect(await listDevices(laptop)).toHaveProperty('code', 'UNAUTHORIZED')
  })

  test('skips the code once when two browsers use one token in parallel', async () => {
    const { laptop, signIn } = await signInWithLaptop()
    const copies = [app.browser(), app.browser()]
    for (const copy of copies) copy.cookies.set('floorpass_trusted_device', getTrustToken(laptop) ?? '')
    const answers = await Promise.all(copies.map((copy) => signIn(copy)))
    expect(answers.filter(({ body }) => 'token' in (body as object))).toHaveLength(1)
  })

  test('T113: does not work for another user of the browser, and can be replaced by them', async () => {
    const [mine, theirs] = [await signInWithLaptop(), await signInWithLaptop()]
    expect((await theirs.signIn(mine.laptop)).body).toEqual(challengeAnswer)
    mine.clock.advance(60)
    await mine.laptop.post('/auth/two-factor/verify', { code: theirs.authenticator.code(1), trustDevice: true })
    expect((await theirs.signIn(mine.laptop)).body).toHaveProperty('token')
    expect((await mine.signIn()).body).toEqual(challengeAnswer)
  })

  test('stays one device when it is trusted again in the same browser', async () => {
    const { laptop, signIn, userId, clock, authenticator } = await signInWithLaptop()
    clock.advance(30 * day)
    await signIn()
    expect((await laptop.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })).status).toBe(200)
    expect(await app.db.trustedDevice.findMany({ where: { userId } })).toHaveLength(1)
    expect((await signIn()).body).toHaveProperty('token')
  })

  test('needs the code when its token is unknown, malformed or too long', async () => {
    const { signIn } = await signInWithLaptop()
    for (const token of ['x', 'y'.repeat(7000), '%00', "' OR 1=1"]) {
      const tab = app.browser()
      tab.cookies.set('floorpass_trusted_device', token)
      expect((await signIn(tab)).body).toEqual(challengeAnswer)
    }
  })

  test('replaces the oldest when there are twenty', async () => {
    const { userId, signIn, laptop, phone, clock, authenticator } = await signInWithLaptop()
    const expiresAt = new Date(Date.now() + 1e6)
    await app.db.trustedDevice.createMany({
      data: Array.from({ length: 19 }, (_, count) => ({
        userId,
        secretHash: `${userId} ${count}`,
        createdAt: new Date(),
        expiresAt,
      })),
    })
    clock.advance(60)
    await signIn(phone)
    await phone.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })
    expect(await app.db.trustedDevice.count({ where: { userId } })).toBe(20)
    const withPhone = await listDevices(phone)
    expect(withPhone.filter(({ current }) => current)).toHaveLength(1)
    await app.db.trustedDevice.updateMany({ where: { userId }, data: { createdAt: new Date() } })
    expect(getTrustToken(laptop)).toBeDefined()
  })
})

describe('trusted devices', () => {
  test('are listed by device name without a token, and marked in the list of sessions', async () => {
    const { phone, laptop } = await signInWithLaptop()
    const list = await listDevices(laptop)
    expect(list).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        device: 'desktop',
        browser: 'Firefox 140',
        os: 'Linux',
        ipAddress: '127.0.0.1',
        userAgent: firefox,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
        current: true,
      },
    ])
    expect(await listDevices(phone)).toEqual([{ ...list[0], current: false }])
    const sessions = (await phone.get('/auth/list-sessions')).body as { trusted: boolean; current: boolean }[]
    expect(sessions.map(({ trusted, current }) => [trusted, current])).toEqual([
      [true, false],
      [false, true],
    ])
  })

  test('T113: can be revoked one by one, and only by their owner', async () => {
    const { phone, laptop, userId, signIn } = await signInWithLaptop()
    const [device] = await listDevices(phone)
    const tablet = { userId, secretHash: `tablet of ${userId}`, expiresAt: new Date(Date.now() + day * 1000) }
    const { id: tabletId } = await app.db.trustedDevice.create({ data: tablet })
    const otherUser = await app.signedIn()
    const revoke = (tab: Pick<Browser, 'post'>, id = device?.id) => tab.post('/auth/two-factor/revoke-trusted-device', { id })
    expect((await revoke(otherUser)).body).toEqual({ status: true })
    expect(await app.db.trustedDevice.count({ where: { userId } })).toBe(2)
    expect((await revoke(phone)).body).toEqual({ status: true })
    expect((await revoke(phone)).body).toEqual({ status: true })
    expect((await listDevices(phone)).map(({ id }) => id)).toEqual([tabletId])
    expect(await app.db.auditEvent.count({ where: { userId, action: 'revoke-trusted-device' } })).toBe(1)
    expect((await laptop.get('/auth/get-session')).body).not.toBeNull()
    expect((await signIn()).body).toEqual(challengeAnswer)
  })

  test('end when their session is revoked: a lost laptop needs a code, and a tablet does not', async () => {
    const { clock, phone, laptop, signIn, authenticator } = await signInWithLaptop()
    const tablet = app.browser()
    clock.advance(60)
    await signIn(tablet)
    expect((await tablet.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })).status).toBe(200)
    expect((await phone.post('/auth/revoke-session', { token: await handleOf(laptop) })).status).toBe(200)
    expect((await signIn()).body).toEqual(challengeAnswer)
    expect((await signIn(tablet)).body).toHaveProperty('token')
  })

  test('end with revoke-other-sessions except this one, and all with revoke-sessions', async () => {
    const first = await signInWithLaptop()
    await first.laptop.post('/auth/revoke-other-sessions')
    expect((await first.signIn()).body).toHaveProperty('token')
    await first.laptop.post('/auth/sign-out')
    await first.signIn()
    await app.browser().get('/auth/get-session')
    const other = app.browser()
    first.clock.advance(60)
    await first.signIn(other)
    await other.post('/auth/two-factor/verify', { code: first.authenticator.code() })
    await other.post('/auth/revoke-other-sessions')
    expect((await first.signIn()).body).toEqual(challengeAnswer)

    const second = await signInWithLaptop()
    await second.laptop.post('/auth/revoke-sessions')
    expect((await second.signIn()).body).toEqual(challengeAnswer)
  })

  test.each([
    [
      'change-password',
      ({ phone, person }: Awaited<ReturnType<typeof signInWithLaptop>>) =>
        phone.post('/auth/change-password', {
          currentPassword: person.password,
          newPassword: person.password.replace('plum', 'pear'),
        }),
    ],
    [
      'reset-password',
      async ({ person }: Awaited<ReturnType<typeof signInWithLaptop>>) => {
        await app.browser().post('/auth/forget-password', { email: person.email })
        await app.drainMail()
        const { token } = app.outbox.lastTo(person.email)
        return app.browser().post('/auth/reset-password', { token, newPassword: person.password.replace('plum', 'pear') })
      },
    ],
  ])('T113, T38: end with %s, as does a sign-in that waits for its code', async (_, change) => {
    const laptopOwner = await signInWithLaptop()
    const waiting = app.browser()
    await laptopOwner.signIn(waiting)
    expect((await change(laptopOwner)).status).toBe(200)
    laptopOwner.person.password = laptopOwner.person.password.replace('plum', 'pear')
    expect((await laptopOwner.signIn()).body).toEqual(challengeAnswer)
    laptopOwner.clock.advance(60)
    const code = laptopOwner.authenticator.code()
    expect((await waiting.post('/auth/two-factor/verify', { code })).code).toBe('INVALID_TWO_FACTOR_COOKIE')
  })

  test('T113: end with disable, and stay ended when two-factor is enabled again', async () => {
    const { phone, laptop, person, signIn, clock } = await signInWithLaptop()
    expect((await phone.post('/auth/two-factor/disable', { password: person.password })).status).toBe(200)
    const kept = getTrustToken(laptop) ?? ''
    expect((await signIn()).body).toHaveProperty('token')
    clock.advance(60)
    await switchOnTwoFactor(phone, person.password)
    laptop.cookies.set('floorpass_trusted_device', kept)
    expect((await signIn()).body).toEqual(challengeAnswer)
  })

  test('stay with a session that gets a new token', async () => {
    const { phone, laptop, person, userId } = await signInWithLaptop()
    const { email: newEmail } = app.person()
    await phone.post('/auth/change-email', { newEmail })
    await app.drainMail()
    expect((await laptop.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })).status).toBe(200)
    await phone.post('/auth/revoke-session', { token: await handleOf(laptop) })
    expect(await app.db.trustedDevice.count({ where: { userId } })).toBe(0)
    expect(person.email).not.toBe(newEmail)
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
