import { scan, setUpTwoFactor } from '@floorpass/testing/authenticator'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { callbackResult, linkAt, signInAt } from '@floorpass/testing/social-flow'
import { describe, expect, test } from 'vitest'
import { sessionCookieOf, startChallenge, verifyBackup, verifyTotp, withFactor } from './factor.ts'
import { app, differs, google, readSession, signIn } from './suite.ts'

const enable = (tab: Awaited<ReturnType<typeof app.signedIn>>, fields: object = {}) =>
  tab.post('/auth/two-factor/enable', { password: tab.person.password, ...fields })

describe('setting up a second factor (plugins/two-factor/two-factor)', () => {
  test('returns a URI and ten backup codes, and changes nothing until the first code', async () => {
    const tab = await app.signedIn()
    const { body } = await enable(tab)
    expect(body).toMatchObject({ method: 'totp', totpURI: expect.stringMatching(/^otpauth:\/\/totp\/Floorpass:/) })
    expect((body as { backupCodes: string[] }).backupCodes).toHaveLength(10)
    expect((await signIn(tab.person)).body).toHaveProperty('token')
    expect((await verifyTotp(tab, scan((body as { totpURI: string }).totpURI).code())).body).toMatchObject({
      token: expect.any(String),
      user: { twoFactorEnabled: true },
    })
    expect((await readSession(tab))?.user.twoFactorEnabled).toBe(true)
  })

  differs('`issuer` of `two-factor/enable`', 'names the application, whatever the request says', async () => {
    const { body } = await enable(await app.signedIn(), { issuer: 'Custom App Name' })
    expect(body).toMatchObject({ totpURI: expect.stringMatching(/^otpauth:\/\/totp\/Floorpass:.*issuer=Floorpass/) })
  })

  test('needs the password of an account that has one', async () => {
    const tab = await app.signedIn()
    expect((await enable(tab, { password: undefined })).status).toBe(400)
    expect(outcome(await enable(tab, { password: 'not-the-real-password' }))).toEqual([400, 'INVALID_PASSWORD'])
    await setUpTwoFactor(tab, tab.person.password)
    const uri = await tab.post('/auth/two-factor/get-totp-uri', { password: 'not-the-real-password' })
    expect(outcome(uri)).toEqual([400, 'INVALID_PASSWORD'])
  })

  /** A user without a password who turned two-factor on, with a fresh session alone. */
  async function withoutPassword() {
    const clock = holdClock()
    const { email } = app.person()
    google.person = { sub: email, email, email_verified: true, name: 'Gina' }
    const { tab } = await signInAt(app, 'google')
    const { authenticator, totpURI } = await setUpTwoFactor(tab)
    expect((await tab.post('/auth/two-factor/get-totp-uri')).body).toEqual({ totpURI })
    expect((await verifyTotp(tab, authenticator.code())).status).toBe(200)
    clock.advance(60)
    return { tab, authenticator }
  }

  test('needs no password of an account without one', async () => {
    const { tab } = await withoutPassword()
    expect((await readSession(tab))?.user.twoFactorEnabled).toBe(true)
  })

  differs(
    'Disabling the factor without a password',
    'asks for a code before new codes and before turning the factor off',
    async () => {
      const { tab, authenticator } = await withoutPassword()
      for (const act of ['generate-backup-codes', 'disable'])
        expect((await tab.post(`/auth/two-factor/${act}`)).code).toBe('VALIDATION_ERROR')
      expect((await tab.post('/auth/two-factor/disable', { code: authenticator.code() })).body).toEqual({ status: true })
    },
  )

  test('is refused while the factor counts, and its code goes on working', async () => {
    const { tab, person, authenticator } = await withFactor()
    expect(outcome(await enable(tab))).toEqual([400, 'TOTP_ALREADY_ENABLED'])
    expect((await verifyTotp((await startChallenge(person)).tab, authenticator.code())).status).toBe(200)
  })

  differs('`get-totp-uri` of a factor that counts', 'shows no secret of a factor that counts', async () => {
    const { tab, person } = await withFactor()
    const answer = await tab.post('/auth/two-factor/get-totp-uri', { password: person.password })
    expect(outcome(answer)).toEqual([400, 'TOTP_ALREADY_ENABLED'])
  })

  test('by mailed codes is not configured', async () => {
    const tab = await app.signedIn()
    expect(outcome(await enable(tab, { method: 'otp' }))).toEqual([400, 'OTP_NOT_CONFIGURED'])
    expect((await readSession(tab))?.user.twoFactorEnabled).toBe(false)
  })
})

describe('a sign-in with a second factor (plugins/two-factor/two-factor, two-factor.security)', () => {
  test('waits for the code, and no cookie of the first answer opens the account', async () => {
    const { person, authenticator } = await withFactor()
    const { tab, setCookies } = await startChallenge(person)
    expect(sessionCookieOf(setCookies) ?? 'Max-Age=0').toContain('Max-Age=0')
    expect(setCookies).toContainEqual(expect.stringMatching(/^floorpass_two_factor=.*Max-Age=600/))
    expect(await readSession(tab)).toBeNull()
    const answer = await verifyTotp(tab, authenticator.code())
    expect(answer.body).toMatchObject({ token: (await readSession(tab))?.session.token })
    expect(sessionCookieOf(answer.setCookies)).toContain('Max-Age=604800')
  })

  test('remembers that the session should end with the browser', async () => {
    const { person, authenticator } = await withFactor()
    const { tab } = await startChallenge(person, { rememberMe: false })
    expect(sessionCookieOf((await verifyTotp(tab, authenticator.code())).setCookies)).not.toContain('Max-Age')
  })

  test('needs the cookie of the challenge', async () => {
    const { person, authenticator } = await withFactor()
    await startChallenge(person)
    const answer = await verifyTotp(app.browser(), authenticator.code())
    expect(outcome(answer)).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    expect(sessionCookieOf(answer.setCookies)).toBeUndefined()
  })

  test('refuses a wrong code', async () => {
    const { person } = await withFactor()
    const { tab } = await startChallenge(person)
    expect(outcome(await verifyTotp(tab, 'invalid-code'))).toEqual([401, 'INVALID_CODE'])
    expect(outcome(await verifyBackup(tab, 'invalid-code'))).toEqual([401, 'INVALID_BACKUP_CODE'])
  })

  test('takes a backup code once', async () => {
    const { person, backupCodes } = await withFactor()
    const { tab } = await startChallenge(person)
    expect((await verifyBackup(tab, backupCodes[0])).body).toMatchObject({ token: expect.any(String) })
    const { tab: second } = await startChallenge(person)
    expect(outcome(await verifyBackup(second, backupCodes[0]))).toEqual([401, 'INVALID_BACKUP_CODE'])
    expect((await verifyBackup(second, backupCodes[1] ?? '')).status).toBe(200)
  })

  differs('Is a social sign-in asked for the second factor', 'is asked for after a provider too', async () => {
    const { tab, person } = await withFactor()
    google.person = { sub: person.email, email: person.email, email_verified: true, name: 'Gina' }
    await linkAt(app, 'google', tab)
    const answer = await signInAt(app, 'google')
    expect(callbackResult(answer)).toEqual([302, '/two-factor'])
    expect(await readSession(answer.tab)).toBeNull()
  })

  test('is not asked for by other routes', async () => {
    const { tab } = await withFactor()
    expect((await tab.post('/auth/update-user', { name: 'New name' })).body).toEqual({ status: true })
  })
})

describe('backup codes (plugins/two-factor/two-factor)', () => {
  test('are replaced as often as the user asks: only the last ten work', async () => {
    const { tab, person } = await withFactor()
    const sets: string[][] = []
    for (const _ of [1, 2, 3]) {
      const { body } = await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password })
      expect(body).toMatchObject({ status: true })
      sets.push((body as { backupCodes: string[] }).backupCodes)
    }
    expect([sets.map((codes) => codes.length), new Set(sets.flat()).size]).toEqual([[10, 10, 10], 30])
    const { tab: challenge } = await startChallenge(person)
    expect((await verifyBackup(challenge, sets[1]?.[0] ?? '')).status).toBe(401)
    expect((await verifyBackup(challenge, sets[2]?.[0] ?? '')).status).toBe(200)
  })

  differs('Status of `two-factor/view-backup-codes`', 'are never shown again', async () => {
    const { tab, userId, backupCodes } = await withFactor()
    const answer = await tab.post('/auth/two-factor/view-backup-codes', { userId })
    expect(outcome(answer)).toEqual([400, 'BACKUP_CODES_SHOWN_ONCE'])
    expect(JSON.stringify(answer.body)).not.toContain(backupCodes[0])
  })
})

describe('a trusted device (plugins/two-factor/two-factor)', () => {
  /** A user and the browser that skips the code. */
  async function withDevice() {
    const known = await withFactor()
    const { tab: laptop } = await startChallenge(known.person)
    const { setCookies } = await verifyTotp(laptop, known.authenticator.code(), { trustDevice: true })
    const again = () => laptop.post('/auth/sign-in/email', known.person)
    return { ...known, laptop, again, cookie: setCookies.find((one) => one.startsWith('floorpass_trusted_device=')) }
  }
  const challenge = { twoFactorRedirect: true, twoFactorMethods: ['totp'] }

  test('skips the code for thirty days, also after a sign-out, with a new cookie each time', async () => {
    const { laptop, again, cookie, person } = await withDevice()
    expect(cookie).toContain('Max-Age=2592000')
    const former = laptop.cookies.get('floorpass_trusted_device') ?? ''
    await laptop.post('/auth/sign-out')
    expect(laptop.cookies.get('floorpass_trusted_device')).toBe(former)
    expect((await again()).body).toMatchObject({ user: { email: person.email } })
    expect(laptop.cookies.get('floorpass_trusted_device')).not.toBe(former)
    const thief = app.browser()
    thief.cookies.set('floorpass_trusted_device', former)
    expect((await thief.post('/auth/sign-in/email', person)).body).toEqual(challenge)
    expect((await again()).body).toMatchObject({ user: { email: person.email } })
  })

  differs(
    'The cookie of a device whose trust ended',
    'is forgotten when its trust ended, and keeps a cookie without effect',
    async () => {
      const { laptop, again, userId } = await withDevice()
      await app.db.trustedDevice.updateMany({ where: { userId }, data: { expiresAt: new Date(Date.now() - 1000) } })
      expect((await again()).body).toEqual(challenge)
      expect(laptop.cookies.has('floorpass_trusted_device')).toBe(true)
    },
  )

  test('is forgotten when two-factor is turned off', async () => {
    const { laptop, userId, person, again } = await withDevice()
    expect((await laptop.post('/auth/two-factor/disable', { password: person.password })).body).toEqual({ status: true })
    expect([laptop.cookies.has('floorpass_trusted_device'), await app.db.trustedDevice.count({ where: { userId } })]).toEqual([
      false,
      0,
    ])
    expect((await readSession(laptop))?.user.twoFactorEnabled).toBe(false)
    expect((await again()).body).toHaveProperty('token')
  })
})
