import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

async function withFactor() {
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  return { tab, authenticator, backupCodes, person: tab.person, userId: tab.userId }
}
const disable = (tab: Pick<Browser, 'post'>, fields: object) => tab.post('/auth/two-factor/disable', fields)
const rest = (userId: string) =>
  Promise.all([app.db.twoFactor.count({ where: { userId } }), app.db.backupCode.count({ where: { userId } })])

describe('two-factor/disable', () => {
  test('T31: removes the secret, the codes and every sign-in that waits, and gives a new token', async () => {
    const { tab, person, userId, authenticator } = await withFactor()
    const waiting = app.browser()
    await waiting.post('/auth/sign-in/email', person)
    const before = tab.cookies.get('floorpass_session') ?? ''
    const answer = await disable(tab, { password: person.password })
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect(await rest(userId)).toEqual([0, 0])
    expect(tab.cookies.get('floorpass_session')).not.toBe(before)
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { twoFactorEnabled: false } })
    expect((await waiting.post('/auth/two-factor/verify', { code: authenticator.code(1) })).code).toBe(
      'INVALID_TWO_FACTOR_COOKIE',
    )
    expect((await app.browser().post('/auth/sign-in/email', person)).body).toHaveProperty('token')
  })

  test.each(['authenticator', 'backup code'])('takes a code of the %s instead of the password', async (kind) => {
    const { tab, userId, authenticator, backupCodes } = await withFactor()
    expect((await disable(tab, { code: kind === 'authenticator' ? authenticator.code(1) : backupCodes[2] })).status).toBe(200)
    expect(await rest(userId)).toEqual([0, 0])
  })

  test('of an account without a password it takes a code only', async () => {
    const { tab, userId, authenticator } = await withFactor()
    await app.db.account.deleteMany({ where: { userId } })
    expect((await disable(tab, { password: 'anything' })).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
    expect((await disable(tab, { code: authenticator.code(1) })).status).toBe(200)
  })

  test('T47, T110: needs a session and the password or a code, however old the session is', async () => {
    const clock = holdClock()
    const { tab, person, userId } = await withFactor()
    expect((await disable(app.browser(), { password: person.password })).code).toBe('UNAUTHORIZED')
    const none = await disable(tab, {})
    expect([none.code, none.body]).toMatchObject([
      'VALIDATION_ERROR',
      { message: '[body.password] Enter your password or a code' },
    ])
    expect((await disable(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    expect((await disable(tab, { code: '000000' })).code).toBe('INVALID_CODE')
    expect(await rest(userId)).toEqual([1, 10])
    clock.advance(6 * 24 * 3600)
    expect((await disable(tab, { password: person.password })).status).toBe(200)
    expect(await rest(userId)).toEqual([0, 0])
  })

  test('there must be a factor that counts', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    expect((await disable(tab, { password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
    await setUpTwoFactor(tab, password)
    expect((await disable(tab, { password })).code).toBe('TWO_FACTOR_NOT_ENABLED')
  })

  test('of twenty at once one does it', async () => {
    const { tab, person, userId } = await withFactor()
    const cookie = `floorpass_session=${tab.cookies.get('floorpass_session')}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.browser().post('/auth/two-factor/disable', { password: person.password }, { headers: { cookie } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(code).toBe('UNAUTHORIZED')
    expect(await app.db.session.count({ where: { userId } })).toBe(1)
  })

  test('a password that is replaced meanwhile proves nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tab, person, userId } = await withFactor()
      const other = tab.cookies.get('floorpass_session') ?? ''
      const [changed, disabled] = await Promise.all([
        tab.post('/auth/change-password', { currentPassword: person.password, newPassword: 'violet harbor ladder' }),
        app
          .browser()
          .post('/auth/two-factor/disable', { password: person.password }, { headers: { cookie: `floorpass_session=${other}` } }),
      ])
      expect([changed.status, disabled.status].filter((status) => status === 200)).toHaveLength(1)
      expect(await rest(userId)).toEqual(disabled.status === 200 ? [0, 0] : [1, 10])
    }
  })
})

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})
