import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock, holdStep } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { lockUser } from '@floorpass/testing/route-samples'
import { signIn, signInWithFactor } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const minute = 60

const verifyCode = (tab: Pick<Browser, 'post'>, code: unknown, fields: object = {}) =>
  tab.post('/auth/two-factor/verify', { code, ...fields })
const getSession = async (tab: Pick<Browser, 'get'>) =>
  (await tab.get('/auth/get-session')).body as { session: { token: string } } | null
const getChallenge = (tab: Pick<Browser, 'cookies'>) => tab.cookies.get('floorpass_two_factor')

describe('a sign-in with a second factor', () => {
  test('T46: opens no session before the code, only a challenge for this browser', async () => {
    const { person, userId } = await signInWithFactor(app, holdStep())
    const before = await app.db.session.count({ where: { userId } })
    const answer = await signIn(app, { ...person, callbackURL: '/dashboard' })
    const { tab } = answer
    expect([answer.status, answer.body]).toEqual([200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }])
    expect(answer.headers.get('location')).toBeNull()
    expect(answer.setCookies.find((cookie) => cookie.startsWith('floorpass_two_factor='))).toMatch(
      /^floorpass_two_factor=[\w-]{43}; HttpOnly; Max-Age=600; Path=\/; SameSite=Lax$/,
    )
    expect([...tab.cookies.keys()]).toEqual(['floorpass_two_factor'])
    expect(await getSession(tab)).toBeNull()
    for (const path of ['list-sessions', 'export-data']) expect((await tab.get(`/auth/${path}`)).status).toBe(401)
    expect((await tab.post('/auth/two-factor/disable', { password: person.password })).code).toBe('UNAUTHORIZED')
    expect((await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password })).code).toBe('UNAUTHORIZED')
    expect(await app.db.session.count({ where: { userId } })).toBe(before)
    tab.cookies.set('local-floorpass_session', getChallenge(tab) ?? '')
    expect(await getSession(tab)).toBeNull()
  })

  test('T31, T142: opens the session with the code, returns the target, and ends the challenge', async () => {
    const { person, userId, authenticator } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, { ...person, callbackURL: '/dashboard?tab=1' })
    const kept = getChallenge(tab) ?? ''
    const answer = await verifyCode(tab, authenticator.code())
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      token: (await getSession(tab))?.session.token,
      user: expect.objectContaining({ id: userId, twoFactorEnabled: true }),
      url: '/dashboard?tab=1',
    })
    expect([...tab.cookies.keys()]).toEqual(['local-floorpass_session', 'floorpass_known_device', 'floorpass_sign_in_method'])
    const thief = app.browser()
    thief.cookies.set('floorpass_two_factor', kept)
    expect((await verifyCode(thief, authenticator.code(1))).code).toBe('INVALID_TWO_FACTOR_COOKIE')
    expect(
      await app.db.auditEvent.findMany({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' }, take: 1 }),
    ).toMatchObject([{ succeeded: true, details: { factor: 'totp' } }])
  })

  test.each(['/auth/revoke-sessions', '/auth/revoke-other-sessions'])(
    'T46: is ended by %s while it waits for its code',
    async (path) => {
      const { person, tab, authenticator } = await signInWithFactor(app, holdStep())
      const { tab: waiting } = await signIn(app, person)
      expect((await tab.post(path, {})).status).toBe(200)
      expect((await verifyCode(waiting, authenticator.code())).code).toBe('INVALID_TWO_FACTOR_COOKIE')
    },
  )

  test('ends the former session in the browser once the password is right', async () => {
    const { person, authenticator } = await signInWithFactor(app, holdStep())
    const neighbour = await app.signedIn()
    const answer = await neighbour.post('/auth/sign-in/email', person)
    expect(answer.body).toHaveProperty('twoFactorRedirect')
    expect(await getSession(neighbour)).toBeNull()
    expect(await app.db.session.count({ where: { userId: neighbour.userId } })).toBe(0)
    expect((await verifyCode(neighbour, authenticator.code())).body).toMatchObject({ user: { email: person.email } })
  })

  test('keeps a session without "remember me", even when the device is trusted', async () => {
    const { person, userId, authenticator, tab: first } = await signInWithFactor(app, holdStep())
    await first.post('/auth/sign-out')
    const { tab } = await signIn(app, { ...person, rememberMe: false })
    const { setCookies } = await verifyCode(tab, authenticator.code(), { trustDevice: true })
    expect(setCookies.find((cookie) => cookie.startsWith('local-floorpass_session='))).not.toContain('Max-Age')
    expect(await app.db.session.findMany({ where: { userId } })).toMatchObject([{ remember: false }])
  })

  test('T117: accepts no code without a challenge or a session', async () => {
    const { authenticator } = await signInWithFactor(app, holdStep())
    for (const path of ['verify', 'verify-totp', 'verify-backup-code']) {
      const answer = await app.browser().post(`/auth/two-factor/${path}`, { code: authenticator.code() })
      expect([answer.status, answer.code]).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    }
    for (const cookie of ['', 'x', 'y'.repeat(8000), `${'z'.repeat(42)}%00`]) {
      const answer = await app
        .browser()
        .post('/auth/two-factor/verify', { code: '123456' }, { headers: { cookie: `floorpass_two_factor=${cookie}` } })
      expect(answer.code).toBe('INVALID_TWO_FACTOR_COOKIE')
    }
  })

  test('ends the challenge after ten minutes, to the second', async () => {
    const { person, clock, authenticator } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    const { tab: late } = await signIn(app, person)
    clock.advance(10 * minute - 1)
    expect((await verifyCode(tab, authenticator.code())).status).toBe(200)
    clock.advance(1)
    const answer = await verifyCode(late, authenticator.code(1))
    expect([answer.code, getChallenge(late)]).toEqual(['INVALID_TWO_FACTOR_COOKIE', undefined])
  })

  test('is refused when the user is suspended meanwhile', async () => {
    const { person, userId, authenticator } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    await app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } })
    expect((await verifyCode(tab, authenticator.code())).code).toBe('INVALID_TWO_FACTOR_COOKIE')
  })

  test('opens one session when twenty requests send the right code in parallel', async () => {
    const { person, userId, authenticator } = await signInWithFactor(app, holdStep())
    const before = await app.db.session.count({ where: { userId } })
    const { tab } = await signIn(app, person)
    const cookie = `floorpass_two_factor=${getChallenge(tab)}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.browser().post('/auth/two-factor/verify', { code: authenticator.code() }, { headers: { cookie } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
  })
})

describe('a code', () => {
  test('T107: is accepted for the current time step, the one before and the one after', async () => {
    for (const [steps, status] of [
      [-2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
      [2, 401],
    ] as const) {
      const { person, clock, authenticator } = await signInWithFactor(app, holdStep())
      clock.advance(300 + 29)
      const { tab } = await signIn(app, person)
      expect([steps, (await verifyCode(tab, authenticator.code(steps))).status]).toEqual([steps, status])
    }
  })

  test('T107: may have spaces or dashes between its six digits, and nothing else', async () => {
    const { person, clock, authenticator } = await signInWithFactor(app, holdStep())
    for (const write of [
      (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`,
      (code: string) => ` ${code.slice(0, 3)}-${code.slice(3)}\n`,
    ]) {
      clock.advance(60)
      const { tab } = await signIn(app, person)
      expect((await verifyCode(tab, write(authenticator.code()))).status).toBe(200)
    }
    clock.advance(60)
    const code = authenticator.code()
    const fullWidth = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('')
    for (const wrong of [code.slice(1), `${code}0`, `0${code}`, fullWidth, 'abcdef', `+${code.slice(1)}`, '1e5000', '______']) {
      const { tab } = await signIn(app, person)
      expect([wrong, (await verifyCode(tab, wrong)).code]).toEqual([wrong, 'INVALID_CODE'])
    }
    const { tab } = await signIn(app, person)
    for (const none of ['', undefined, null, 123456, ['123456'], { $ne: '' }, 'x'.repeat(129)])
      expect((await verifyCode(tab, none)).code).toBe('VALIDATION_ERROR')
    expect((await verifyCode(tab, code)).status).toBe(200)
  })

  test('is the one of RFC 6238, cut to six digits', async () => {
    const clock = holdClock(new Date(0))
    const tab = await app.signedIn()
    const place = ['two_factors.secret_sealed', tab.userId] as const
    const secretSealed = app.service.deps.secretBox.seal('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', place)
    await app.db.twoFactor.create({ data: { userId: tab.userId, secretSealed, confirmedAt: new Date() } })
    await app.db.user.update({ where: { id: tab.userId }, data: { twoFactorEnabled: true } })
    for (const [time, code] of [
      [59, '94287082'],
      [1111111109, '07081804'],
      [1111111111, '14050471'],
      [1234567890, '89005924'],
      [2000000000, '69279037'],
      [20000000000, '65353130'],
    ] as const) {
      clock.advance(time - Date.now() / 1000)
      const { tab: signing } = await signIn(app, tab.person)
      expect([time, (await verifyCode(signing, code.slice(-6))).status]).toEqual([time, 200])
    }
  })

  test('is accepted only by the route of its kind', async () => {
    const { person, authenticator, backupCodes } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    expect((await tab.post('/auth/two-factor/verify-totp', { code: backupCodes[0] })).code).toBe('INVALID_CODE')
    expect((await tab.post('/auth/two-factor/verify-backup-code', { code: authenticator.code() })).code).toBe(
      'INVALID_BACKUP_CODE',
    )
    expect((await tab.post('/auth/two-factor/verify-totp', { code: authenticator.code(), type: 'backup' })).status).toBe(200)
  })
})

test('an account that its owner has locked still takes a code in a session, because a check changes nothing', async () => {
  const { tab, userId, authenticator } = await signInWithFactor(app, holdStep())
  await lockUser(app, userId)
  expect((await verifyCode(tab, authenticator.code())).status).toBe(200)
})

describe('a used time step', () => {
  test('T105: refuses its code a second time, in any browser', async () => {
    const { person, authenticator } = await signInWithFactor(app, holdStep())
    const [{ tab: one }, { tab: other }] = [await signIn(app, person), await signIn(app, person)]
    const code = authenticator.code()
    expect((await verifyCode(one, code)).status).toBe(200)
    expect((await verifyCode(other, code)).code).toBe('INVALID_CODE')
    expect((await verifyCode(other, authenticator.code(1))).status).toBe(200)
  })

  test('T105: refuses the code that confirmed the set-up', async () => {
    const tab = await app.signedIn()
    holdClock()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    const { tab: signing } = await signIn(app, tab.person)
    expect((await verifyCode(signing, authenticator.code())).code).toBe('INVALID_CODE')
  })

  test('T105: opens one session when two browsers send its code in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { person, userId, authenticator } = await signInWithFactor(app, holdStep())
      const before = await app.db.session.count({ where: { userId } })
      const [{ tab: one }, { tab: other }] = [await signIn(app, person), await signIn(app, person)]
      const code = authenticator.code()
      const answers = await Promise.all([verifyCode(one, code), verifyCode(other, code)])
      expect(answers.map(({ status, code: key }) => [status, key]).sort()).toEqual([
        [200, undefined],
        [401, 'INVALID_CODE'],
      ])
      expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
    }
  })

  test('T106: refuses the codes of earlier steps', async () => {
    const { person, clock, authenticator } = await signInWithFactor(app, holdStep())
    clock.advance(300)
    const [{ tab: one }, { tab: other }] = [await signIn(app, person), await signIn(app, person)]
    expect((await verifyCode(one, authenticator.code())).status).toBe(200)
    expect((await verifyCode(other, authenticator.code(-1))).code).toBe('INVALID_CODE')
  })

  test('T104: stays used when the clock goes back', async () => {
    const { person, clock, authenticator } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    expect((await verifyCode(tab, authenticator.code())).status).toBe(200)
    clock.advance(-3600)
    const { tab: early } = await signIn(app, person)
    expect((await verifyCode(early, authenticator.code())).code).toBe('INVALID_CODE')
  })
})

describe('wrong codes', () => {
  const sendWrongCode = (tab: Pick<Browser, 'post'>) => verifyCode(tab, '000000')

  test('T26: end the sign-in after five, even for the right code, and the password is needed again', async () => {
    const { person, userId, authenticator } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    for (const attemptsLeft of [5, 4, 3, 2, 1]) {
      expect((await tab.get('/trpc/twoFactor.getChallenge')).body).toMatchObject({
        result: { data: { attemptsLeft, methods: ['totp'] } },
      })
      expect((await sendWrongCode(tab)).code).toBe('INVALID_CODE')
    }
    const kept = getChallenge(tab) ?? ''
    const refused = await verifyCode(tab, authenticator.code())
    expect([refused.status, refused.code, getChallenge(tab)]).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE', undefined])
    tab.cookies.set('floorpass_two_factor', kept)
    expect((await verifyCode(tab, authenticator.code())).code).toBe('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
    const failed = { userId, action: 'sign-in', succeeded: false }
    expect(await app.db.auditEvent.count({ where: failed })).toBe(5)
    const { tab: again } = await signIn(app, person)
    expect((await verifyCode(again, authenticator.code())).status).toBe(200)
  })

  test('T26: are compared five times at most, of twenty in parallel, and each one counts', async () => {
    const { person, userId } = await signInWithFactor(app, holdStep())
    const { tab } = await signIn(app, person)
    const cookie = `floorpass_two_factor=${getChallenge(tab)}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.browser().post('/auth/two-factor/verify', { code: '000000' }, { headers: { cookie } }),
      ),
    )
    expect(answers.filter(({ code }) => code === 'INVALID_CODE')).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')).toHaveLength(15)
    expect(await app.db.twoFactor.findUnique({ where: { userId } })).toMatchObject({ failedAttempts: 5 })
  })

  test('T26, T27: lock the second factor after ten in a row, over new sign-ins and both kinds of code', async () => {
    const { person, userId, clock, authenticator, backupCodes } = await signInWithFactor(app, holdStep())
    const { tab: one } = await signIn(app, person)
    for (let count = 0; count < 5; count += 1) await sendWrongCode(one)
    const { tab: two } = await signIn(app, person)
    for (let count = 0; count < 4; count += 1) await verifyCode(two, 'aaaaa-bbbbb-ccccc')
    const { tab: three } = await signIn(app, person)
    expect((await sendWrongCode(three)).code).toBe('INVALID_CODE')
    for (const code of [authenticator.code(), backupCodes[0]]) {
      const { tab } = await signIn(app, person)
      const locked = await verifyCode(tab, code)
      expect([locked.status, locked.code, locked.headers.get('retry-after')]).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED', '900'])
    }
    expect(await app.db.auditEvent.count({ where: { userId, action: 'lock-two-factor' } })).toBe(1)
    clock.advance(15 * minute - 1)
    const { tab } = await signIn(app, person)
    expect((await verifyCode(tab, authenticator.code())).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')
    clock.advance(1)
    expect((await verifyCode(tab, authenticator.code())).status).toBe(200)
    expect(await app.db.twoFactor.findUnique({ where: { userId } })).toMatchObject({ failedAttempts: 0, lockedUntil: null })
  })

  test('double each lock, up to a day', async () => {
    const { person, userId, clock } = await signInWithFactor(app, holdStep())
    for (const seconds of [900, 1800, 3600]) {
      for (let round = 0; round < 2; round += 1) {
        const { tab } = await signIn(app, person)
        for (let count = 0; count < 5; count += 1) expect((await sendWrongCode(tab)).code).toBe('INVALID_CODE')
      }
      const { lockedUntil } = await app.db.twoFactor.findUniqueOrThrow({ where: { userId } })
      expect(lockedUntil).toEqual(new Date(Date.now() + seconds * 1000))
      clock.advance(seconds)
    }
    await app.db.twoFactor.update({ where: { userId }, data: { failedAttempts: 89 } })
    const { tab } = await signIn(app, person)
    await sendWrongCode(tab)
    const { lockedUntil } = await app.db.twoFactor.findUniqueOrThrow({ where: { userId } })
    expect(lockedUntil).toEqual(new Date(Date.now() + 24 * 3600 * 1000))
  })

  test('T20: disable the authenticator after a hundred in a row, until a backup code is used', async () => {
    const { person, userId, authenticator, backupCodes, clock } = await signInWithFactor(app, holdStep())
    await app.db.twoFactor.update({ where: { userId }, data: { failedAttempts: 100 } })
    const { tab } = await signIn(app, person)
    const refused = await verifyCode(tab, authenticator.code())
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.objectContaining({
        code: 'ACCOUNT_TEMPORARILY_LOCKED',
        message: 'Too many wrong codes in a row: only a backup code is accepted',
      }),
    ])
    expect((await verifyCode(tab, backupCodes[0])).status).toBe(200)
    clock.advance(60)
    const { tab: later } = await signIn(app, person)
    expect((await verifyCode(later, authenticator.code())).status).toBe(200)
  })

  test('T28: are reset by a right code, for this account only', async () => {
    const [mine, theirs] = [await signInWithFactor(app, holdStep()), await signInWithFactor(app, holdStep())]
    for (const { person } of [mine, theirs]) {
      const { tab } = await signIn(app, person)
      for (let count = 0; count < 4; count += 1) await sendWrongCode(tab)
    }
    const { tab } = await signIn(app, mine.person)
    expect((await verifyCode(tab, mine.authenticator.code(1))).status).toBe(200)
    const attempts = async (userId: string) => (await app.db.twoFactor.findUnique({ where: { userId } }))?.failedAttempts
    expect([await attempts(mine.userId), await attempts(theirs.userId)]).toEqual([0, 4])
  })

  test('T27: share one count over verify, disable and new backup codes in a session', async () => {
    const { tab, userId, authenticator } = await signInWithFactor(app, holdStep())
    for (let count = 0; count < 4; count += 1) expect((await sendWrongCode(tab)).code).toBe('INVALID_CODE')
    const wrong = await app.db.auditEvent.findMany({ where: { userId, action: 'verify-two-factor', succeeded: false } })
    expect(wrong.map(({ details }) => details)).toEqual(Array(4).fill({ factor: 'totp' }))
    for (let count = 0; count < 3; count += 1)
      expect((await tab.post('/auth/two-factor/disable', { code: '000000' })).code).toBe('INVALID_CODE')
    for (let count = 0; count < 3; count += 1)
      expect((await tab.post('/auth/two-factor/generate-backup-codes', { code: 'aaaaa-bbbbb-ccccc' })).code).toBe(
        'INVALID_BACKUP_CODE',
      )
    for (const path of ['verify', 'disable', 'generate-backup-codes'])
      expect((await tab.post(`/auth/two-factor/${path}`, { code: authenticator.code() })).code).toBe('ACCOUNT_TEMPORARILY_LOCKED')
    expect(await app.db.user.findUnique({ where: { id: userId } })).toMatchObject({ twoFactorEnabled: true })
  })

  test('T25: are also limited for each IP address', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => verifyCode(limited.browser({ ip: '192.0.2.9' }), '123456')),
    )
    expect(answers.filter(({ code }) => code === 'INVALID_TWO_FACTOR_COOKIE')).toHaveLength(30)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(10)
  })
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
