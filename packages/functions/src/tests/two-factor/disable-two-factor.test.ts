import { setUpTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const disableTwoFactor = (tab: Pick<Browser, 'post'>, fields: object) => tab.post('/auth/two-factor/disable', fields)
const countFactorRows = (userId: string) =>
  Promise.all([app.db.twoFactor.count({ where: { userId } }), app.db.backupCode.count({ where: { userId } })])

describe('two-factor/disable', () => {
  test('T31: deletes the secret and the codes, ends pending sign-ins, and replaces the session token', async () => {
    const { tab, person, userId, authenticator } = await signInWithFactor(app)
    const waiting = app.browser()
    await waiting.post('/auth/sign-in/email', person)
    const before = tab.cookies.get('local-floorpass_session') ?? ''
    const answer = await disableTwoFactor(tab, { password: person.password })
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect(await countFactorRows(userId)).toEqual([0, 0])
    expect(tab.cookies.get('local-floorpass_session')).not.toBe(before)
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { twoFactorEnabled: false } })
    expect((await waiting.post('/auth/two-factor/verify', { code: authenticator.code(1) })).code).toBe(
      'INVALID_TWO_FACTOR_COOKIE',
    )
    expect((await app.browser().post('/auth/sign-in/email', person)).body).toHaveProperty('token')
  })

  test.each(['authenticator', 'backup code'])('accepts a code of the %s instead of the password', async (kind) => {
    const { tab, userId, authenticator, backupCodes } = await signInWithFactor(app)
    expect(
      (await disableTwoFactor(tab, { code: kind === 'authenticator' ? authenticator.code(1) : backupCodes[2] })).status,
    ).toBe(200)
    expect(await countFactorRows(userId)).toEqual([0, 0])
  })

  test('needs a code when the account has no password', async () => {
    const { tab, userId, authenticator } = await signInWithFactor(app)
    await app.db.account.deleteMany({ where: { userId } })
    expect((await disableTwoFactor(tab, { password: 'anything' })).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
    expect((await disableTwoFactor(tab, { code: authenticator.code(1) })).status).toBe(200)
  })

  test('T47, T110: needs a session and the password or a code, on a session of any age', async () => {
    const clock = holdClock()
    const { tab, person, userId } = await signInWithFactor(app)
    expect((await disableTwoFactor(app.browser(), { password: person.password })).code).toBe('UNAUTHORIZED')
    const none = await disableTwoFactor(tab, {})
    expect([none.code, none.body]).toMatchObject([
      'VALIDATION_ERROR',
      { message: '[body.password] Enter your password or a code' },
    ])
    expect((await disableTwoFactor(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    expect((await disableTwoFactor(tab, { code: '000000' })).code).toBe('INVALID_CODE')
    expect(await countFactorRows(userId)).toEqual([1, 10])
    clock.advance(6 * 24 * 3600)
    expect((await disableTwoFactor(tab, { password: person.password })).status).toBe(200)
    expect(await countFactorRows(userId)).toEqual([0, 0])
  })

  test('needs a confirmed second factor', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    expect((await disableTwoFactor(tab, { password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    await setUpTwoFactor(tab, password)
    expect((await disableTwoFactor(tab, { password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
  })

  test('succeeds once for twenty parallel requests', async () => {
    const { tab, person, userId } = await signInWithFactor(app)
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.browser().post('/auth/two-factor/disable', { password: person.password }, { headers: { cookie } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(code).toBe('UNAUTHORIZED')
    expect(await app.db.session.count({ where: { userId } })).toBe(1)
  })

  test('is refused when the password changes in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tab, person, userId } = await signInWithFactor(app)
      const other = tab.cookies.get('local-floorpass_session') ?? ''
      const [changed, disabled] = await Promise.all([
        tab.post('/auth/change-password', { currentPassword: person.password, newPassword: 'violet harbor ladder' }),
        app
          .browser()
          .post(
            '/auth/two-factor/disable',
            { password: person.password },
            { headers: { cookie: `local-floorpass_session=${other}` } },
          ),
      ])
      expect([changed.status, disabled.status].filter((status) => status === 200)).toHaveLength(1)
      expect(await countFactorRows(userId)).toEqual(disabled.status === 200 ? [0, 0] : [1, 10])
    }
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
