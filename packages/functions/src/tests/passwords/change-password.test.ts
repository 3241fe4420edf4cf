import { setUpTwoFactor } from '@floorpass/testing/authenticator'
import { type Browser, getSessionToken, isSignedIn } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createEveryToken, listVoidedPurposes } from '@floorpass/testing/outstanding-tokens'
import { addresses, handleOf } from '@floorpass/testing/route-samples'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const newPassword = 'violet harbor ladder'
const changePassword = (tab: Tab, fields: Record<string, unknown> = {}) =>
  tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword, ...fields })
const isLive = async (cookie: string) =>
  (await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${cookie}` } })).body !== null

describe('change-password', () => {
  test('changes the password and returns the session that replaces this one', async () => {
    const tab = await app.signedIn()
    const answer = await changePassword(tab)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ token: await handleOf(tab), user: { id: tab.userId, email: tab.person.email } })
    expect((await signIn(app, tab.person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, { ...tab.person, password: newPassword })).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'change-password' } })).toBe(1)
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).text).toContain('your other devices were signed out')
  })

  test('names the form field of a refused password', async () => {
    const tab = await app.signedIn()
    const fields = { currentPassword: tab.person.password, newPassword: 'short' }
    expect((await tab.post('/trpc/passwords.change', fields)).body).toMatchObject({
      error: { data: { key: 'PASSWORD_TOO_SHORT', fields: { newPassword: expect.any(String) } } },
    })
  })

  test('T31, T38: replaces the session token, and ends the old token and every other session at once', async () => {
    const tab = await app.signedIn()
    const { tab: other } = await signIn(app, tab.person)
    const before = getSessionToken(tab)
    expect((await changePassword(tab)).status).toBe(200)
    expect([await isLive(before), await isSignedIn(other), await isSignedIn(tab)]).toEqual([false, false, true])
    expect(getSessionToken(tab)).not.toBe(before)
  })

  test('T38: removes trusted devices of this user alone, and makes outstanding links stop working', async () => {
    const tab = await app.signedIn()
    const { userId, person } = tab
    const neighbour = await app.signedIn()
    const owners = [userId, neighbour.userId]
    await app.db.trustedDevice.createMany({
      data: owners.map((owner) => ({
        userId: owner,
        secretHash: `device of ${owner}`,
        expiresAt: new Date(Date.now() + 1e6),
      })),
    })
    await app.browser().post('/auth/forget-password', { email: person.email })
    await tab.post('/auth/change-email', { newEmail: app.person().email })
    await app.drainMail()
    const link = app.outbox.to(person.email).find(({ link: { pathname } }) => pathname === '/reset-password')
    expect((await changePassword(tab)).status).toBe(200)
    expect(await app.db.trustedDevice.findMany({ where: { userId: { in: owners } } })).toMatchObject([
      { userId: neighbour.userId },
    ])
    expect(await isSignedIn(neighbour)).toBe(true)
    expect(await app.db.verification.count({ where: { userId, usedAt: null, purpose: { not: 'panic' } } })).toBe(0)
    const late = await app.browser().post('/auth/reset-password', { token: link?.token, newPassword })
    expect(late.code).toBe('INVALID_TOKEN')
  })

  test('ends the links and challenges that the old password or a thief could have started', async () => {
    const tab = await app.signedIn()
    await createEveryToken(app, tab.userId)
    expect((await changePassword(tab)).status).toBe(200)
    expect(await listVoidedPurposes(app, tab.userId)).toEqual([
      'change-email',
      'delete-account',
      'reauthenticate',
      'reset-password',
      'two-factor',
      'verify-email',
    ])
  })

  test.each([
    ['removes an unconfirmed authenticator app and its backup codes', false, 0],
    ['keeps the backup codes of a passkey when it removes an unconfirmed authenticator app', true, 10],
  ])('%s', async (_, twoFactorEnabled, codesLeft) => {
    const tab = await app.signedIn()
    const { userId, person } = tab
    await setUpTwoFactor(tab, person.password)
    await app.db.user.update({ where: { id: userId }, data: { twoFactorEnabled } })
    expect((await changePassword(tab)).status).toBe(200)
    expect(await app.db.twoFactor.count({ where: { userId } })).toBe(0)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(codesLeft)
  })

  test('keeps the undo link of a changed email, so that a thief who changed both cannot lock the owner out', async () => {
    const tab = await app.signedIn()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    expect((await changePassword(tab)).status).toBe(200)
    expect((await app.browser().post('/auth/undo-email-change', { token })).status).toBe(200)
  })

  test('replaces a session without "remember me" by another one without it', async () => {
    const person = await app.verified()
    const tab = app.browser()
    await tab.post('/auth/sign-in/email', { email: person.email, password: person.password, rememberMe: false })
    const answer = await tab.post('/auth/change-password', { currentPassword: person.password, newPassword })
    expect(answer.setCookies).toEqual([
      expect.stringMatching(/^local-floorpass_session=/),
      expect.stringMatching(/^floorpass_known_device=/),
    ])
    expect(answer.setCookies[0]).not.toContain('Max-Age')
    expect(await app.db.session.findMany({ where: { user: { email: person.email } } })).toMatchObject([{ remember: false }])
  })

  test('checks the session first, then the account, the current password and the new one', async () => {
    const tab = await app.signedIn()
    const bad = { currentPassword: 'something else', newPassword: 'short' }
    const wrong = await changePassword(tab, bad)
    expect([wrong.status, wrong.body]).toEqual([400, { code: 'INVALID_PASSWORD', message: 'Invalid password' }])
    expect((await changePassword(tab, { newPassword: 'short' })).code).toBe('PASSWORD_TOO_SHORT')
    expect((await changePassword(tab, { newPassword: 'password1' })).code).toBe('PASSWORD_TOO_COMMON')
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await changePassword(tab, bad)).body).toEqual({
      code: 'CREDENTIAL_ACCOUNT_NOT_FOUND',
      message: 'Credential account not found',
    })
    tab.cookies.clear()
    expect((await changePassword(tab, bad)).code).toBe('UNAUTHORIZED')
  })

  test('T47: accepts the current password as authentication on a session of any age', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(6 * 24 * 3600)
    expect((await changePassword(tab, { currentPassword: 'something else' })).code).toBe('INVALID_PASSWORD')
    expect((await changePassword(tab)).status).toBe(200)
  })

  test('changes no password, session or link when it is refused', async () => {
    const tab = await app.signedIn()
    const { tab: other } = await signIn(app, tab.person)
    await changePassword(tab, { currentPassword: 'something else' })
    await changePassword(tab, { newPassword: 'password1' })
    expect([await isSignedIn(tab), await isSignedIn(other)]).toEqual([true, true])
    expect((await signIn(app, tab.person)).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toEqual([])
  })

  test('succeeds once for twenty parallel requests of one session, and the password of that request works', async () => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${getSessionToken(tab)}`
    const passwords = Array.from({ length: 20 }, (_, count) => `violet harbor ladder ${count}`)
    const answers = await Promise.all(
      passwords.map((password) =>
        app
          .browser()
          .post(
            '/auth/change-password',
            { currentPassword: tab.person.password, newPassword: password },
            { headers: { cookie } },
          ),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(['INVALID_PASSWORD', 'UNAUTHORIZED']).toContain(code)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await signIn(app, { ...tab.person, password: winner })).status).toBe(200)
  })

  test('succeeds on one of two devices in parallel, and leaves only that session', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await app.signedIn()
      const { tab: other } = await signIn(app, one.person)
      const answers = await Promise.all([
        changePassword(one),
        other.post('/auth/change-password', { currentPassword: one.person.password, newPassword: 'copper lantern meadow' }),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect([await isSignedIn(one), await isSignedIn(other)]).toEqual(answers.map(({ status }) => status === 200))
      expect(await app.db.session.count({ where: { userId: one.userId } })).toBe(1)
    }
  })

  test('succeeds on one of a parallel change and reset, and the password of that request works', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      await app.browser().post('/auth/forget-password', { email: tab.person.email })
      await app.drainMail()
      const { token } = app.outbox.lastTo(tab.person.email)
      const [changed, resetAnswer] = await Promise.all([
        changePassword(tab),
        app.browser().post('/auth/reset-password', { token, newPassword: 'copper lantern meadow' }),
      ])
      expect([changed.status === 200, resetAnswer.status === 200].filter(Boolean)).toHaveLength(1)
      const counts = changed.status === 200 ? newPassword : 'copper lantern meadow'
      expect((await signIn(app, { ...tab.person, password: counts })).status).toBe(200)
    }
  })
})

describe('change-password with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const attempt = (tab: Browser, currentPassword: string) => tab.post('/auth/change-password', { currentPassword, newPassword })

  test('T19: locks the password check of the account after five wrong ones, even for the right one and for deletion', async () => {
    const tab = await limited.signedIn()
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, count) => attempt(tab, `wrong guess ${count}`)))
    expect(guesses.filter(({ code }) => code === 'INVALID_PASSWORD')).toHaveLength(5)
    const refused = await attempt(tab, tab.person.password)
    expect([refused.status, refused.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tab.post('/auth/delete-user', { password: tab.person.password })).code).toBe('TOO_MANY_REQUESTS')
    const neighbour = await limited.signedIn()
    expect((await attempt(neighbour, neighbour.person.password)).status).toBe(200)
  })

  test('T19: shares its lock with every route that asks for the password, over REST and tRPC, and a reset link still works', async () => {
    const procedures: Record<string, string> = {
      '/change-password': 'passwords.change',
      '/reauthenticate': 'signIn.reauthenticate',
      '/delete-user': 'profile.delete',
      '/two-factor/enable': 'twoFactor.enable',
      '/two-factor/disable': 'twoFactor.disable',
      '/two-factor/generate-backup-codes': 'twoFactor.generateBackupCodes',
      '/two-factor/get-totp-uri': 'twoFactor.getTotpUri',
    }
    const passwordRoutes = addresses.flatMap(({ path, access, input }) => {
      const shape = (input as { shape?: object } | null)?.shape ?? {}
      const field = ['password', 'currentPassword'].find((name) => name in shape)
      return access === 'session' && field !== undefined ? [{ path, field }] : []
    })
    expect(passwordRoutes.map(({ path }) => path).sort()).toEqual(Object.keys(procedures).sort())
    const tabs = []
    for (const { path: guessedAt, field: guessed } of passwordRoutes) {
      const tab = await limited.signedIn()
      tabs.push(tab)
      const guess = { [guessed]: 'wrong guess', newPassword }
      for (let count = 0; count < 5; count += 1) {
        const { code } = await tab.post(`/auth${guessedAt}`, guess)
        expect([guessedAt, count, code]).toEqual([guessedAt, count, 'INVALID_PASSWORD'])
      }
      for (const { path, field } of passwordRoutes) {
        const right = { [field]: tab.person.password, newPassword }
        expect([guessedAt, path, (await tab.post(`/auth${path}`, right)).code]).toEqual([guessedAt, path, 'TOO_MANY_REQUESTS'])
        const { body } = await tab.post(`/trpc/${procedures[path]}`, right)
        expect([path, body]).toMatchObject([path, { error: { data: { key: 'TOO_MANY_REQUESTS' } } }])
      }
    }

    const [locked] = tabs
    if (!locked) throw new Error('no route asks for the password')
    await limited.browser().post('/auth/forget-password', { email: locked.person.email })
    await limited.drainMail()
    const { token } = limited.outbox.lastTo(locked.person.email)
    expect((await limited.browser().post('/auth/reset-password', { token, newPassword })).status).toBe(200)
    expect((await locked.get('/auth/get-session')).body).toBeNull()
    const after = limited.browser()
    expect((await after.post('/auth/sign-in/email', { email: locked.person.email, password: newPassword })).status).toBe(200)
    // The new password does not lift the lock either.
    expect((await after.post('/auth/delete-user', { password: newPassword })).code).toBe('TOO_MANY_REQUESTS')
  })

  test('resets the count of wrong passwords on success', async () => {
    const tab = await limited.signedIn()
    for (let count = 0; count < 4; count += 1) await attempt(tab, 'wrong guess')
    expect((await attempt(tab, tab.person.password)).status).toBe(200)
    for (let count = 0; count < 5; count += 1) expect((await attempt(tab, 'wrong guess')).code).toBe('INVALID_PASSWORD')
  })
})
