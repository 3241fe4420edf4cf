import { scan, setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const enable = (tab: Pick<Browser, 'post'>, fields: object = {}) => tab.post('/auth/two-factor/enable', fields)
const verify = (tab: Pick<Browser, 'post'>, code: unknown) => tab.post('/auth/two-factor/verify', { code })
const userIn = async (tab: Pick<Browser, 'get'>) =>
  ((await tab.get('/auth/get-session')).body as { user: { twoFactorEnabled: boolean } } | null)?.user
const factorOf = (userId: string) => app.db.twoFactor.findUnique({ where: { userId } })

describe('two-factor/enable', () => {
  test('answers the URI of an authenticator, named after the application and the address, and ten backup codes', async () => {
    const tab = await app.signedIn()
    const answer = await enable(tab, { password: tab.person.password })
    expect(answer.body).toEqual({ method: 'totp', totpURI: expect.any(String), backupCodes: expect.any(Array) })
    const { totpURI, backupCodes } = answer.body as { totpURI: string; backupCodes: string[] }
    const uri = new URL(totpURI)
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/Floorpass:${tab.person.email}`,
    ])
    expect(uri.searchParams.get('issuer')).toBe('Floorpass')
    expect(uri.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
    expect(backupCodes).toHaveLength(10)
    expect(new Set(backupCodes).size).toBe(10)
    for (const code of backupCodes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){2}$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('the issuer is APP_NAME, whatever is in it', async () => {
    const named = await createTestApp({ APP_NAME: 'R&D ? é/Trading' })
    const tab = await named.signedIn()
    const { totpURI } = await setUpTwoFactor(tab, tab.person.password)
    const uri = new URL(totpURI)
    expect(uri.searchParams.get('issuer')).toBe('R&D ? é/Trading')
    expect(decodeURIComponent(uri.pathname)).toBe(`/R&D ? é/Trading:${tab.person.email}`)
  })

  test('only prepares: before the first right code no sign-in asks for one', async () => {
    const tab = await app.signedIn()
    await setUpTwoFactor(tab, tab.person.password)
    expect((await userIn(tab))?.twoFactorEnabled).toBe(false)
    expect((await app.browser().post('/auth/sign-in/email', tab.person)).body).toHaveProperty('token')
    expect((await verify(tab, '000000')).code).toBe('INVALID_CODE')
    expect((await app.browser().post('/auth/sign-in/email', tab.person)).body).toHaveProperty('token')
  })

  test('asked again before that, it replaces the secret and the codes', async () => {
    const tab = await app.signedIn()
    const first = await setUpTwoFactor(tab, tab.person.password)
    const second = await setUpTwoFactor(tab, tab.person.password)
    expect((await verify(tab, first.authenticator.code())).code).toBe('INVALID_CODE')
    expect((await verify(tab, second.authenticator.code())).status).toBe(200)
    const [former] = first.backupCodes
    expect((await verify(tab, former)).code).toBe('INVALID_BACKUP_CODE')
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
  })

  test('T109: a factor that counts is not replaced, by one or by twenty at once', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    const before = await factorOf(tab.userId)
    const answers = await Promise.all(Array.from({ length: 20 }, () => enable(tab, { password: tab.person.password })))
    for (const { status, code } of answers) expect([status, code]).toEqual([400, 'TOTP_ALREADY_ENABLED'])
    expect(await factorOf(tab.userId)).toEqual(before)
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
    expect((await verify(tab, authenticator.code(1))).status).toBe(200)
  })

  test('of twenty at once the last one counts, whole', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all(Array.from({ length: 20 }, () => enable(tab, { password: tab.person.password })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
    const { secretSealed = '' } = (await factorOf(tab.userId)) ?? {}
    const stored = app.service.deps.secretBox.open(secretSealed, ['two_factors.secret_sealed', tab.userId])
    const winner = answers
      .map(({ body }) => body as { totpURI: string; backupCodes: string[] })
      .find(({ totpURI }) => totpURI.includes(stored))
    expect((await verify(tab, scan(winner?.totpURI ?? '').code())).status).toBe(200)
    expect((await verify(tab, winner?.backupCodes[9])).status).toBe(200)
  })

  test('needs the password of an account that has one', async () => {
    const tab = await app.signedIn()
    for (const fields of [{}, { password: 'something else' }])
      expect([(await enable(tab, fields)).status, (await enable(tab, fields)).code]).toEqual([400, 'INVALID_PASSWORD'])
    expect(await factorOf(tab.userId)).toBeNull()
  })

  test('T47: without a password it needs a proof from the last 15 minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await enable(tab, { password: 'something else' })).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
    clock.advance(15 * 60)
    expect((await enable(tab)).status).toBe(200)
    clock.advance(1)
    expect((await enable(tab)).code).toBe('SESSION_NOT_FRESH')
    expect((await tab.post('/auth/two-factor/get-totp-uri')).code).toBe('SESSION_NOT_FRESH')
  })

  test('codes by mail are not offered', async () => {
    const tab = await app.signedIn()
    expect((await enable(tab, { password: tab.person.password, method: 'otp' })).code).toBe('OTP_NOT_CONFIGURED')
    expect((await enable(tab, { password: tab.person.password, method: 'sms' })).code).toBe('VALIDATION_ERROR')
    for (const path of ['send-otp', 'verify-otp'])
      expect((await tab.post(`/auth/two-factor/${path}`)).code).toBe('OTP_NOT_CONFIGURED')
    expect((await tab.post('/auth/two-factor/view-backup-codes', { userId: tab.userId })).code).toBe('BACKUP_CODES_SHOWN_ONCE')
  })
})

describe('the first right code', () => {
  test('T31, 7.4.3: switches it on, ends every other session, and gives this one a new token', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    clock.advance(60)
    const before = tab.cookies.get('floorpass_session') ?? ''
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const answer = await verify(tab, authenticator.code())
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ token: expect.any(String), user: { id: tab.userId, twoFactorEnabled: true } })
    expect((await userIn(tab))?.twoFactorEnabled).toBe(true)
    expect(await userIn(other)).toBeUndefined()
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect(await app.db.session.findMany({ where: { userId: tab.userId } })).toMatchObject([
      { createdAt: new Date(Date.now() - 60_000) },
    ])
    expect((await factorOf(tab.userId))?.confirmedAt).toEqual(new Date())
  })

  test('proves nothing for later acts', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(1)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).code).toBe('SESSION_NOT_FRESH')
  })

  test('a backup code is none', async () => {
    const tab = await app.signedIn()
    const { backupCodes } = await setUpTwoFactor(tab, tab.person.password)
    expect((await verify(tab, backupCodes[0])).code).toBe('BACKUP_CODES_NOT_ENABLED')
    expect((await userIn(tab))?.twoFactorEnabled).toBe(false)
  })

  test('of one code sent twenty times at once one switches on', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const cookie = `floorpass_session=${tab.cookies.get('floorpass_session')}`
    const code = authenticator.code()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.browser().post('/auth/two-factor/verify', { code }, { headers: { cookie } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code: key } of answers)
      if (status !== 200) expect(['UNAUTHORIZED', 'INVALID_TWO_FACTOR_COOKIE', 'INVALID_CODE']).toContain(key)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    await app.mailed()
    expect(app.outbox.to(tab.person.email).filter(({ subject }) => subject.includes('needs a code'))).toHaveLength(1)
  })

  test('a sign-in under way meanwhile ends with a session that ends, or with a challenge', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
      const late = app.browser()
      const [, signedIn] = await Promise.all([verify(tab, authenticator.code()), late.post('/auth/sign-in/email', tab.person)])
      expect(signedIn.status).toBe(200)
      expect(await userIn(late)).toBeUndefined()
      expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    }
  })

  test('there is none without a set-up', async () => {
    const tab = await app.signedIn()
    expect((await verify(tab, '123456')).code).toBe('TOTP_NOT_ENABLED')
  })
})

describe('two-factor/get-totp-uri', () => {
  test('T115: shows the URI again while the set-up is not finished, and never after', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    const ask = (fields: object = { password }) => tab.post('/auth/two-factor/get-totp-uri', fields)
    expect((await ask()).code).toBe('TOTP_NOT_ENABLED')
    const { totpURI, authenticator } = await setUpTwoFactor(tab, password)
    expect((await ask()).body).toEqual({ totpURI })
    expect((await ask({})).code).toBe('INVALID_PASSWORD')
    await verify(tab, authenticator.code())
    expect((await ask()).code).toBe('TOTP_ALREADY_ENABLED')
  })
})

test('T115, T176, T177: neither secret nor codes are in the database, the logs, the mails, or any later answer', async () => {
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  await verify(tab, backupCodes[0])
  await app.mailed()
  const answers = await Promise.all(
    ['get-session', 'list-sessions', 'export-data', 'two-factor/list-trusted-devices'].map((path) => tab.get(`/auth/${path}`)),
  )
  const everything = JSON.stringify([
    await app.everyRow(),
    app.logs,
    app.outbox.mails,
    answers.map(({ body }) => body),
  ]).toLowerCase()
  for (const secret of [authenticator.secret, ...backupCodes, ...backupCodes.map((code) => code.replaceAll('-', ''))]) {
    expect(everything).not.toContain(secret.toLowerCase())
    expect(everything).not.toContain(Buffer.from(secret).toString('base64url').toLowerCase())
  }
})

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})

describe('a set-up that is not finished', () => {
  test('is not locked by typing errors, and nobody is alarmed', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    for (let count = 0; count < 12; count += 1) expect((await verify(tab, '000000')).code).toBe('INVALID_CODE')
    expect(await factorOf(tab.userId)).toMatchObject({ failedAttempts: 0, lockedUntil: null })
    await app.mailed()
    expect(app.outbox.lastTo(tab.person.email).subject).not.toContain('Too many')
    expect((await verify(tab, authenticator.code())).status).toBe(200)
  })

  test('ends with a new password: who knew the old one may have prepared it', async () => {
    const tab = await app.signedIn()
    await setUpTwoFactor(tab, tab.person.password)
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.mailed()
    const { token } = app.outbox.lastTo(tab.person.email)
    await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(await factorOf(tab.userId)).toBeNull()
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })
})

test('right passwords, however many, are no guesses', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  for (let count = 0; count < 8; count += 1) expect((await enable(tab, { password: tab.person.password })).status).toBe(200)
})
