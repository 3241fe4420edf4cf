import { scan, setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const enableTwoFactor = (tab: Pick<Browser, 'post'>, fields: object = {}) => tab.post('/auth/two-factor/enable', fields)
const verifyCode = (tab: Pick<Browser, 'post'>, code: unknown) => tab.post('/auth/two-factor/verify', { code })
const getUser = async (tab: Pick<Browser, 'get'>) =>
  ((await tab.get('/auth/get-session')).body as { user: { twoFactorEnabled: boolean } } | null)?.user
const findFactor = (userId: string) => app.db.twoFactor.findUnique({ where: { userId } })

describe('two-factor/enable', () => {
  test('returns an authenticator URI with the names of the application and the email, and ten backup codes', async () => {
    const tab = await app.signedIn()
    const answer = await enableTwoFactor(tab, { password: tab.person.password })
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

  test('uses APP_NAME as the issuer, whatever characters it has', async () => {
    const named = await createTestApp({ APP_NAME: 'R&D ? é/Trading' })
    const tab = await named.signedIn()
    const { totpURI } = await setUpTwoFactor(tab, tab.person.password)
    const uri = new URL(totpURI)
    expect(uri.searchParams.get('issuer')).toBe('R&D ? é/Trading')
    expect(decodeURIComponent(uri.pathname)).toBe(`/R&D ? é/Trading:${tab.person.email}`)
  })

  test('asks for no code at sign-in before the first right code', async () => {
    const tab = await app.signedIn()
    await setUpTwoFactor(tab, tab.person.password)
    expect((await getUser(tab))?.twoFactorEnabled).toBe(false)
    expect((await app.browser().post('/auth/sign-in/email', tab.person)).body).toHaveProperty('token')
    expect((await verifyCode(tab, '000000')).code).toBe('INVALID_CODE')
    expect((await app.browser().post('/auth/sign-in/email', tab.person)).body).toHaveProperty('token')
  })

  test('replaces an unconfirmed secret and its codes', async () => {
    const tab = await app.signedIn()
    const first = await setUpTwoFactor(tab, tab.person.password)
    const second = await setUpTwoFactor(tab, tab.person.password)
    expect((await verifyCode(tab, first.authenticator.code())).code).toBe('INVALID_CODE')
    expect((await verifyCode(tab, second.authenticator.code())).status).toBe(200)
    const [former] = first.backupCodes
    expect((await verifyCode(tab, former)).code).toBe('INVALID_BACKUP_CODE')
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
  })

  test('T109: does not replace a confirmed second factor, even for twenty parallel requests', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    const before = await findFactor(tab.userId)
    const answers = await Promise.all(Array.from({ length: 20 }, () => enableTwoFactor(tab, { password: tab.person.password })))
    for (const { status, code } of answers) expect([status, code]).toEqual([400, 'TOTP_ALREADY_ENABLED'])
    expect(await findFactor(tab.userId)).toEqual(before)
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
    expect((await verifyCode(tab, authenticator.code(1))).status).toBe(200)
  })

  test('leaves one complete set-up after twenty parallel requests', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all(Array.from({ length: 20 }, () => enableTwoFactor(tab, { password: tab.person.password })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(10)
    const { secretSealed = '' } = (await findFactor(tab.userId)) ?? {}
    const stored = app.service.deps.secretBox.open(secretSealed, ['two_factors.secret_sealed', tab.userId])
    const winner = answers
      .map(({ body }) => body as { totpURI: string; backupCodes: string[] })
      .find(({ totpURI }) => totpURI.includes(stored))
    expect((await verifyCode(tab, scan(winner?.totpURI ?? '').code())).status).toBe(200)
    expect((await verifyCode(tab, winner?.backupCodes[9])).status).toBe(200)
  })

  test('needs the password of an account that has one', async () => {
    const tab = await app.signedIn()
    for (const fields of [{}, { password: 'something else' }])
      expect([(await enableTwoFactor(tab, fields)).status, (await enableTwoFactor(tab, fields)).code]).toEqual([
        400,
        'INVALID_PASSWORD',
      ])
    expect(await findFactor(tab.userId)).toBeNull()
  })

  test('T47: needs an authentication from the last 15 minutes when the account has no password', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await enableTwoFactor(tab, { password: 'something else' })).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
    clock.advance(15 * 60)
    expect((await enableTwoFactor(tab)).status).toBe(200)
    clock.advance(1)
    expect((await enableTwoFactor(tab)).code).toBe('SESSION_NOT_FRESH')
    expect((await tab.post('/auth/two-factor/get-totp-uri')).code).toBe('SESSION_NOT_FRESH')
  })

  test('offers no codes by email', async () => {
    const tab = await app.signedIn()
    expect((await enableTwoFactor(tab, { password: tab.person.password, method: 'otp' })).code).toBe('OTP_NOT_CONFIGURED')
    expect((await enableTwoFactor(tab, { password: tab.person.password, method: 'sms' })).code).toBe('VALIDATION_ERROR')
    for (const path of ['send-otp', 'verify-otp'])
      expect((await tab.post(`/auth/two-factor/${path}`)).code).toBe('OTP_NOT_CONFIGURED')
    expect((await tab.post('/auth/two-factor/view-backup-codes', { userId: tab.userId })).code).toBe('BACKUP_CODES_SHOWN_ONCE')
  })
})

describe('the first right code', () => {
  test("T31, 7.4.3: enables two-factor, ends every other session, and replaces this session's token", async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    clock.advance(60)
    const before = tab.cookies.get('local-floorpass_session') ?? ''
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const answer = await verifyCode(tab, authenticator.code())
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ token: expect.any(String), user: { id: tab.userId, twoFactorEnabled: true } })
    expect((await getUser(tab))?.twoFactorEnabled).toBe(true)
    expect(await getUser(other)).toBeUndefined()
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect(await app.db.session.findMany({ where: { userId: tab.userId } })).toMatchObject([
      { createdAt: new Date(Date.now() - 60_000) },
    ])
    expect((await findFactor(tab.userId))?.confirmedAt).toEqual(new Date())
  })

  test('does not count as a recent authentication', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    await switchOnTwoFactor(tab, tab.person.password)
    clock.advance(1)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).code).toBe('SESSION_NOT_FRESH')
  })

  test('cannot be a backup code', async () => {
    const tab = await app.signedIn()
    const { backupCodes } = await setUpTwoFactor(tab, tab.person.password)
    expect((await verifyCode(tab, backupCodes[0])).code).toBe('BACKUP_CODES_NOT_ENABLED')
    expect((await getUser(tab))?.twoFactorEnabled).toBe(false)
  })

  test('enables two-factor once when twenty requests send it in parallel', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const code = authenticator.code()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.browser().post('/auth/two-factor/verify', { code }, { headers: { cookie } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code: key } of answers)
      if (status !== 200) expect(['UNAUTHORIZED', 'INVALID_TWO_FACTOR_COOKIE', 'INVALID_CODE']).toContain(key)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    await app.drainMail()
    expect(
      app.outbox.to(tab.person.email).filter(({ subject }) => subject.startsWith('Two-factor authentication is on')),
    ).toHaveLength(1)
  })

  test('leaves no session of a sign-in that runs in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tab = await app.signedIn()
      const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
      const late = app.browser()
      const [, signedIn] = await Promise.all([
        verifyCode(tab, authenticator.code()),
        late.post('/auth/sign-in/email', tab.person),
      ])
      expect(signedIn.status).toBe(200)
      expect(await getUser(late)).toBeUndefined()
      expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    }
  })

  test('needs a set-up', async () => {
    const tab = await app.signedIn()
    expect((await verifyCode(tab, '123456')).code).toBe('TOTP_NOT_ENABLED')
  })
})

describe('two-factor/get-totp-uri', () => {
  test('T115: returns the URI again until the set-up is confirmed', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    const ask = (fields: object = { password }) => tab.post('/auth/two-factor/get-totp-uri', fields)
    const isPending = async () =>
      ((await tab.get('/trpc/twoFactor.get')).body as { result: { data: { hasPendingTotp: boolean } } }).result.data
        .hasPendingTotp
    expect([(await ask()).code, await isPending()]).toEqual(['TOTP_NOT_ENABLED', false])
    const { totpURI, authenticator } = await setUpTwoFactor(tab, password)
    expect(await isPending()).toBe(true)
    expect((await ask()).body).toEqual({ totpURI })
    expect((await ask({})).code).toBe('INVALID_PASSWORD')
    await verifyCode(tab, authenticator.code())
    expect([(await ask()).code, await isPending()]).toEqual(['TOTP_ALREADY_ENABLED', false])
  })
})

test('T115, T176, T177: keeps the secret and codes out of the database, logs, mails and every later answer', async () => {
  const tab = await app.signedIn()
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  await verifyCode(tab, backupCodes[0])
  await app.drainMail()
  const answers = await Promise.all(
    ['get-session', 'list-sessions', 'export-data', 'two-factor/list-trusted-devices'].map((path) => tab.get(`/auth/${path}`)),
  )
  const everything = JSON.stringify([
    await app.readAllRows(),
    app.logs,
    app.outbox.mails,
    answers.map(({ body }) => body),
  ]).toLowerCase()
  for (const secret of [authenticator.secret, ...backupCodes, ...backupCodes.map((code) => code.replaceAll('-', ''))]) {
    expect(everything).not.toContain(secret.toLowerCase())
    expect(everything).not.toContain(Buffer.from(secret).toString('base64url').toLowerCase())
  }
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})

describe('an unconfirmed set-up', () => {
  test('is not locked by wrong codes, and the owner gets no alarm', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    for (let count = 0; count < 12; count += 1) expect((await verifyCode(tab, '000000')).code).toBe('INVALID_CODE')
    expect(await findFactor(tab.userId)).toMatchObject({ failedAttempts: 0, lockedUntil: null })
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toEqual([])
    expect((await verifyCode(tab, authenticator.code())).status).toBe(200)
  })

  test('is removed when a new password is set, because a thief may have started it', async () => {
    const tab = await app.signedIn()
    await setUpTwoFactor(tab, tab.person.password)
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(await findFactor(tab.userId)).toBeNull()
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })
})

test('right passwords do not count as wrong tries', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  for (let count = 0; count < 8; count += 1)
    expect((await enableTwoFactor(tab, { password: tab.person.password })).status).toBe(200)
})
