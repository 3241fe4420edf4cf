import { scan } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { createAuthClient } from 'better-auth/client'
import { inferAdditionalFields, twoFactorClient } from 'better-auth/client/plugins'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)

/** better-auth's own client in a new browser. */
function newClient(onTwoFactorRedirect: (context: { twoFactorMethods?: string[] }) => void = () => {}) {
  const tab = app.browser()
  const client = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [
      inferAdditionalFields({
        user: { tradingEnabled: { type: 'boolean', required: false }, riskLevel: { type: 'string', required: false } },
      }),
      twoFactorClient({ onTwoFactorRedirect }),
    ],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  return { client, tab }
}

describe("better-auth's client, pointed at /auth", () => {
  test('signs up, waits for verification, signs in, reads the session, updates the profile and signs out', async () => {
    const { client, tab } = newClient()
    const { name, email, password } = app.person()

    const signedUp = await client.signUp.email({ name, email, password, riskLevel: 'moderate', callbackURL: '/dashboard' })
    expect(signedUp).toMatchObject({
      error: null,
      data: { token: null, user: { name, email, emailVerified: false, riskLevel: 'moderate' } },
    })
    expect(tab.cookies.has('local-floorpass_session')).toBe(false)

    const early = await client.signIn.email({ email, password })
    expect([early.data, early.error?.status, early.error?.code]).toEqual([null, 403, 'EMAIL_NOT_VERIFIED'])
    expect(await client.getSession()).toEqual({ data: null, error: null })

    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(email).token })

    const signedIn = await client.signIn.email({ email, password, rememberMe: true })
    expect(signedIn.error).toBeNull()
    expect(signedIn.data).toMatchObject({ redirect: false, token: expect.any(String), user: { email, emailVerified: true } })
    expect(signedIn.data?.user.createdAt).toBeInstanceOf(Date)

    const session = await client.getSession()
    expect(session.data?.session.expiresAt).toBeInstanceOf(Date)
    expect(session.data).toMatchObject({
      session: { userId: session.data?.user.id, token: signedIn.data?.token },
      user: { email, tradingEnabled: false },
    })

    expect((await client.updateUser({ name: 'Zoë', image: null, tradingEnabled: true, riskLevel: 'aggressive' })).data).toEqual({
      status: true,
    })
    expect((await client.getSession()).data?.user).toMatchObject({
      name: 'Zoë',
      image: null,
      tradingEnabled: true,
      riskLevel: 'aggressive',
    })

    expect(await client.signOut()).toEqual({ data: { success: true }, error: null })
    expect(await client.getSession()).toEqual({ data: null, error: null })
    expect(await client.signOut()).toEqual({ data: { success: true }, error: null })
  })

  test('T3: signing up with a taken email looks like success', async () => {
    const owner = await app.verified()
    const { client } = newClient()
    const free = await client.signUp.email(app.person())
    const taken = await client.signUp.email({ ...app.person(), email: owner.email })
    expect([taken.error, taken.data?.token]).toEqual([null, null])
    expect(Object.keys(taken.data ?? {})).toEqual(Object.keys(free.data ?? {}))
    expect(Object.keys(taken.data?.user ?? {})).toEqual(Object.keys(free.data?.user ?? {}))
  })

  test('reads the code and status of an error', async () => {
    const { client } = newClient()
    const { email } = await app.verified()
    const wrong = await client.signIn.email({ email, password: 'something else' })
    expect(wrong.error).toMatchObject({ status: 401, code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' })
    const invalid = await client.signUp.email({ name: 'Ada', email: 'no-at-sign', password: 'plum kettle orbit' })
    expect(invalid.error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: '[body.email] Invalid email address' })
    const short = await client.signUp.email({ ...app.person(), password: 'short' })
    expect(short.error).toMatchObject({ status: 400, code: 'PASSWORD_TOO_SHORT', message: 'Password too short' })
    const signedOut = await client.updateUser({ name: 'Eve' })
    expect(signedOut.error).toMatchObject({ status: 401, code: 'UNAUTHORIZED', message: 'Unauthorized' })
  })

  test('asks for a new verification link and gets the same answer for every email', async () => {
    const { client } = newClient()
    const { email } = await app.signUp()
    for (const address of [email, 'unknown@example.test']) {
      expect(await client.sendVerificationEmail({ email: address, callbackURL: '/dashboard' })).toEqual({
        data: { status: true },
        error: null,
      })
    }
    await app.drainMail()
    expect(app.outbox.to(email)).toHaveLength(2)
  })

  test('reads an altered cookie or a deleted session as signed out', async () => {
    const { client, tab } = newClient()
    const { email, password } = await app.verified()
    await client.signIn.email({ email, password })
    await app.db.session.deleteMany({ where: { user: { email } } })
    expect(await client.getSession()).toEqual({ data: null, error: null })
    tab.cookies.set('local-floorpass_session', 'altered')
    expect(await client.getSession()).toEqual({ data: null, error: null })
  })

  /** A verified user, signed in by the client. */
  async function signedInClient(person?: Person) {
    const known = person ?? (await app.verified())
    const { client, tab } = newClient()
    const { data } = await client.signIn.email({ email: known.email, password: known.password })
    expect(data?.token).toEqual(expect.any(String))
    return { client, tab, person: known }
  }
  const done = { data: { status: true }, error: null }
  const newPassword = 'violet harbor ladder'

  test('lists the sessions with dates, and revokes one, the others and all', async () => {
    const { client, person } = await signedInClient()
    const [phone, tablet] = [await signedInClient(person), await signedInClient(person)]
    const sessions = await client.listSessions()
    expect(sessions.data).toHaveLength(3)
    for (const { createdAt, expiresAt } of sessions.data ?? [])
      for (const date of [createdAt, expiresAt]) expect(date).toBeInstanceOf(Date)
    const own = (await client.getSession()).data?.session.token
    expect(sessions.data?.filter(({ token }) => token === own)).toHaveLength(1)

    const token = (await phone.client.getSession()).data?.session.token ?? ''
    expect(await client.revokeSession({ token })).toEqual(done)
    expect(await phone.client.getSession()).toEqual({ data: null, error: null })

    expect(await client.revokeOtherSessions()).toEqual(done)
    expect(await tablet.client.getSession()).toEqual({ data: null, error: null })
    expect((await client.listSessions()).data).toHaveLength(1)

    expect(await client.revokeSessions()).toEqual(done)
    expect(await client.getSession()).toEqual({ data: null, error: null })
    expect((await client.listSessions()).error).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })

  test.each(['requestPasswordReset', 'forgetPassword'] as const)('%s and resetPassword set a new password', async (method) => {
    const { email, password } = await app.verified()
    const { client } = newClient()
    // The current client has no type for the older name but still calls it.
    const request = (client as unknown as Record<string, typeof client.requestPasswordReset>)[method]
    for (const address of [email, 'unknown@example.test']) {
      const answer = await request?.({ email: address, redirectTo: `${app.baseUrl}/new-password` })
      expect(answer).toEqual({ data: { status: true, message: expect.stringMatching(/^If this email exists/) }, error: null })
    }
    expect((await request?.({ email, redirectTo: 'https://evil.test' }))?.error).toMatchObject({
      status: 403,
      code: 'INVALID_REDIRECT_URL',
    })
    await app.drainMail()
    const { link } = app.outbox.lastTo(email)
    const { headers } = await app.browser().get(link.pathname + link.search)
    const token = new URL(headers.get('location') ?? '').searchParams.get('token') ?? ''
    expect((await client.resetPassword({ newPassword: 'short', token })).error).toMatchObject({ code: 'PASSWORD_TOO_SHORT' })
    expect(await client.resetPassword({ newPassword, token })).toEqual(done)
    expect((await client.resetPassword({ newPassword, token })).error).toMatchObject({ status: 400, code: 'INVALID_TOKEN' })
    expect((await client.signIn.email({ email, password })).error).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
    expect((await client.signIn.email({ email, password: newPassword })).error).toBeNull()
  })

  test('changes the password and stays signed in with a new session', async () => {
    const { client, person } = await signedInClient()
    const wrong = await client.changePassword({ currentPassword: 'something else', newPassword, revokeOtherSessions: true })
    expect(wrong.error).toMatchObject({ status: 400, code: 'INVALID_PASSWORD', message: 'Invalid password' })
    const { data } = await client.changePassword({ currentPassword: person.password, newPassword, revokeOtherSessions: true })
    expect(data).toMatchObject({ token: expect.any(String), user: { email: person.email } })
    expect(data?.user.createdAt).toBeInstanceOf(Date)
    expect((await client.getSession()).data?.session.token).toBe(data?.token)
  })

  test('verifies an email by POST and by GET', async () => {
    const { client } = newClient()
    const ways = [
      (token: string) => (client.verifyEmail as unknown as (input: object) => ReturnType<typeof client.verifyEmail>)({ token }),
      (token: string) => client.verifyEmail({ query: { token } }),
    ]
    for (const verify of ways) {
      const { email } = await app.signUp()
      expect((await verify('nonsense')).error).toMatchObject({ status: 400, code: 'INVALID_TOKEN' })
      expect(await verify(app.outbox.lastTo(email).token)).toEqual({ data: { status: true, user: null }, error: null })
      expect((await app.db.user.findUniqueOrThrow({ where: { email } })).emailVerified).toBe(true)
    }
  })

  test('changes the email after the new one is verified', async () => {
    const { client, person } = await signedInClient()
    const { email: newEmail } = app.person()
    const taken = await app.verified()
    for (const address of [newEmail, taken.email]) expect(await client.changeEmail({ newEmail: address })).toEqual(done)
    expect((await client.changeEmail({ newEmail: person.email })).error).toMatchObject({ status: 400, code: 'EMAIL_IS_THE_SAME' })
    expect(await client.changeEmail({ newEmail, callbackURL: '/settings' })).toEqual(done)
    await app.drainMail()
    const { data } = await client.verifyEmail({ query: { token: app.outbox.lastTo(newEmail).token } })
    expect(data).toMatchObject({ status: true, user: { email: newEmail } })
    expect((await client.getSession()).data?.user.email).toBe(newEmail)
  })

  test('updates the profile and names a field that cannot be set', async () => {
    const { client } = await signedInClient()
    expect(await client.updateUser({ name: 'Zoë' })).toEqual(done)
    const refused = await client.updateUser({ emailVerified: false } as never)
    expect(refused.error).toMatchObject({ status: 400, code: 'FIELD_NOT_ALLOWED' })
  })

  test('deletes the account, with the password or the emailed link', async () => {
    const first = await signedInClient()
    expect((await first.client.deleteUser({ password: 'something else' })).error).toMatchObject({ code: 'INVALID_PASSWORD' })
    expect(await first.client.deleteUser({ password: first.person.password })).toEqual({
      data: { success: true, message: 'User deleted' },
      error: null,
    })
    expect(await first.client.getSession()).toEqual({ data: null, error: null })

    const second = await signedInClient()
    expect((await second.client.deleteUser()).data).toEqual({ success: true, message: 'Verification email sent' })
    await app.drainMail()
    const { token } = app.outbox.lastTo(second.person.email)
    expect((await second.client.deleteUser({ token })).data).toEqual({ success: true, message: 'User deleted' })
    expect(await app.db.user.count({ where: { email: second.person.email } })).toBe(0)
  })

  test('signs in with a provider, and links, lists and unlinks one', async () => {
    const { email } = app.person()
    await github.set({ person: { id: 77, login: 'ada', emails: [{ email, primary: true, verified: true }] } })
    const { client, tab } = newClient()
    const started = await client.signIn.social({ provider: 'github', callbackURL: '/dashboard' })
    expect(started).toMatchObject({
      error: null,
      data: { redirect: true, url: expect.stringContaining('/login/oauth/authorize?') },
    })
    await tab.get(await followRedirects(started.data?.url ?? '', app.baseUrl))
    expect((await client.getSession()).data?.user).toMatchObject({ email, emailVerified: true })
    expect((await client.signIn.social({ provider: 'google' })).error).toMatchObject({ status: 404, code: 'PROVIDER_NOT_FOUND' })
    expect((await client.unlinkAccount({ providerId: 'github' } as never)).error).toMatchObject({
      status: 400,
      code: 'FAILED_TO_UNLINK_LAST_ACCOUNT',
    })

    const second = await signedInClient()
    await github.set({ person: { id: 78, login: 'eve', emails: [{ email, primary: true, verified: true }] } })
    const link = await second.client.linkSocial({ provider: 'github', callbackURL: '/settings/accounts' })
    await second.tab.get(await followRedirects(link.data?.url ?? '', app.baseUrl))
    const accounts = await second.client.listAccounts()
    expect(accounts.data?.map(({ providerId }) => providerId)).toEqual(['credential', 'github'])
    expect(accounts.data?.[1]).toMatchObject({ accountId: '78', createdAt: expect.any(Date) })
    const row = accounts.data?.[1]?.id ?? ''
    expect(await second.client.unlinkAccount({ accountId: row } as never)).toEqual(done)
    expect((await second.client.listAccounts()).data).toHaveLength(1)
  })

  describe('with its twoFactorClient', () => {
    /** A signed-in user with an active factor. The clock is frozen at an unused code. */
    async function clientWithFactor() {
      const clock = holdClock()
      const { client, person } = await signedInClient()
      const prepared = await client.twoFactor.enable({ password: person.password })
      if (prepared.data?.method !== 'totp') throw new Error('expected a set-up')
      const { totpURI, backupCodes } = prepared.data
      const authenticator = scan(totpURI)
      expect((await client.twoFactor.verifyTotp({ code: authenticator.code() })).error).toBeNull()
      clock.advance(30)
      return { clock, client, person, authenticator, backupCodes }
    }

    test('enables a factor, shows its URI until the first code, and turns it on', async () => {
      const { client, person } = await signedInClient()
      const { password } = person
      expect((await client.twoFactor.enable({ password: 'something else' })).error).toMatchObject({
        status: 400,
        code: 'INVALID_PASSWORD',
      })
      expect((await client.twoFactor.getTotpUri({ password })).error).toMatchObject({ status: 400, code: 'TOTP_NOT_ENABLED' })
      const { data } = await client.twoFactor.enable({ password })
      expect(data).toEqual({ method: 'totp', totpURI: expect.stringMatching(/^otpauth:/), backupCodes: expect.any(Array) })
      const totpURI = data?.method === 'totp' ? data.totpURI : ''
      expect(await client.twoFactor.getTotpUri({ password })).toEqual({ data: { totpURI }, error: null })
      expect((await client.twoFactor.verifyTotp({ code: '000000' })).error).toMatchObject({ status: 401, code: 'INVALID_CODE' })
      const switchedOn = await client.twoFactor.verifyTotp({ code: scan(totpURI).code() })
      expect(switchedOn.data).toMatchObject({ token: expect.any(String), user: { email: person.email } })
      expect((await client.getSession()).data).toMatchObject({
        session: { token: switchedOn.data?.token },
        user: { twoFactorEnabled: true },
      })
      expect((await client.twoFactor.enable({ password })).error).toMatchObject({ code: 'TOTP_ALREADY_ENABLED' })
      expect((await client.twoFactor.getTotpUri({ password })).error).toMatchObject({ code: 'TOTP_ALREADY_ENABLED' })
    })

    test('a sign-in calls onTwoFactorRedirect, verifyTotp completes it, and a trusted device skips the code', async () => {
      const { person, authenticator, clock } = await clientWithFactor()
      const asked: unknown[] = []
      const { client, tab } = newClient((context) => void asked.push(context))
      const { email, password } = person
      const first = await client.signIn.email({ email, password })
      expect(first).toMatchObject({ data: { twoFactorRedirect: true, twoFactorMethods: ['totp'] }, error: null })
      expect(asked).toEqual([{ twoFactorMethods: ['totp'] }])
      expect(await client.getSession()).toEqual({ data: null, error: null })
      const passed = await client.twoFactor.verifyTotp({ code: authenticator.code(), trustDevice: true })
      expect(passed.data).toMatchObject({ token: expect.any(String), user: { email } })
      expect(passed.data?.user.createdAt).toBeInstanceOf(Date)
      await client.signOut()
      clock.advance(60)
      expect((await client.signIn.email({ email, password })).data).toMatchObject({ user: { email } })
      expect([asked.length, tab.cookies.has('local-floorpass_session')]).toEqual([1, true])
    })

    test('verifyBackupCode completes a sign-in once per code, and generateBackupCodes voids the others', async () => {
      const { client: settings, person, backupCodes } = await clientWithFactor()
      const { email, password } = person
      const { client } = newClient()
      const enter = async (code = '') => {
        await client.signIn.email({ email, password })
        return client.twoFactor.verifyBackupCode({ code })
      }
      expect((await enter(backupCodes[0])).data).toMatchObject({ token: expect.any(String), user: { email } })
      await client.signOut()
      expect((await enter(backupCodes[0])).error).toMatchObject({ status: 401, code: 'INVALID_BACKUP_CODE' })
      const made = await settings.twoFactor.generateBackupCodes({ password })
      expect(made).toEqual({ data: { status: true, backupCodes: expect.any(Array) }, error: null })
      expect((await enter(backupCodes[1])).error).toMatchObject({ code: 'INVALID_BACKUP_CODE' })
      expect((await enter(made.data?.backupCodes[0])).error).toBeNull()
    })

    test('gets an error for unsupported calls and for an expired sign-in', async () => {
      const { client, person } = await clientWithFactor()
      const { email, password } = person
      expect((await client.twoFactor.sendOtp()).error).toMatchObject({ status: 400, code: 'OTP_NOT_CONFIGURED' })
      expect((await client.twoFactor.verifyOtp({ code: '123456' })).error).toMatchObject({ code: 'OTP_NOT_CONFIGURED' })
      const viewing = client.twoFactor as unknown as {
        viewBackupCodes(input: object): ReturnType<typeof client.twoFactor.sendOtp>
      }
      expect((await viewing.viewBackupCodes({ userId: 'any' })).error).toMatchObject({ code: 'BACKUP_CODES_SHOWN_ONCE' })
      const other = newClient().client
      const verify = () => other.twoFactor.verifyTotp({ code: '000000' })
      expect((await verify()).error).toMatchObject({ status: 401, code: 'INVALID_TWO_FACTOR_COOKIE' })
      await other.signIn.email({ email, password })
      for (let count = 0; count < 5; count += 1)
        expect((await verify()).error).toMatchObject({ status: 401, code: 'INVALID_CODE' })
      expect((await verify()).error).toMatchObject({ status: 400, code: 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE' })
      await other.signIn.email({ email, password })
      for (let count = 0; count < 5; count += 1) await verify()
      await other.signIn.email({ email, password })
      expect((await verify()).error).toMatchObject({ status: 429, code: 'ACCOUNT_TEMPORARILY_LOCKED' })
    })

    test('disables the factor', async () => {
      const { client, person } = await clientWithFactor()
      const { email, password } = person
      expect((await client.twoFactor.disable({ password: 'something else' })).error).toMatchObject({ code: 'INVALID_PASSWORD' })
      expect(await client.twoFactor.disable({ password })).toEqual(done)
      expect((await client.getSession()).data?.user).toMatchObject({ twoFactorEnabled: false })
      expect((await newClient().client.signIn.email({ email, password })).data).toMatchObject({ token: expect.any(String) })
    })
  })
})
