import { scan, setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { addPasskey, signInWithPasskey } from '@floorpass/testing/passkeys'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { callbackResult, linkAt, signInAt, userIn } from '@floorpass/testing/social-flow'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)
const challengeAnswer = { twoFactorRedirect: true, twoFactorMethods: ['totp'] }
const newPassword = 'violet harbor ladder'

let personCount = 0
/** Creates a person with a password, GitHub and a second factor. */
async function createPerson({ linked = true } = {}) {
  const factor = await signInWithFactor(app, holdClock())
  const { tab, person, clock } = factor
  personCount += 1
  await github.set({
    person: { id: personCount, login: 'ada', emails: [{ email: person.email, primary: true, verified: true }] },
  })
  if (linked) await linkAt(app, 'github', tab)
  clock.advance(30)
  return factor
}
/** Moves the set-up of the second factor into the past. */
async function backdateFactor(userId: string) {
  const createdAt = new Date(Date.now() - 30 * 86_400_000)
  await app.db.twoFactor.update({ where: { userId }, data: { createdAt, confirmedAt: createdAt } })
  await app.db.backupCode.updateMany({ where: { userId }, data: { createdAt } })
}
const isEnabled = async (id: string) => (await app.db.user.findUniqueOrThrow({ where: { id } })).twoFactorEnabled

describe('T79: a sign-in with a provider', () => {
  test('asks for the code, then redirects to its target', async () => {
    const { userId, authenticator } = await createPerson()
    const before = await app.db.session.count({ where: { userId } })
    const answer = await signInAt(app, 'github', app.browser(), { callbackURL: '/settings/accounts' })
    expect(callbackResult(answer)).toEqual([302, '/two-factor?redirectTo=%2Fsettings%2Faccounts'])
    expect([await userIn(answer.tab), answer.tab.cookies.has('local-floorpass_session')]).toEqual([null, false])
    expect(await app.db.session.count({ where: { userId } })).toBe(before)
    const wrong = authenticator.code() === '000000' ? '111111' : '000000'
    expect((await answer.tab.post('/auth/two-factor/verify', { code: wrong })).code).toBe('INVALID_CODE')
    const refused = await app.db.auditEvent.findFirst({ where: { userId, action: 'sign-in', succeeded: false } })
    expect(refused?.details).toEqual({ provider: 'github', factor: 'totp' })
    const passed = await answer.tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    expect(passed.body).toMatchObject({ user: { id: userId }, url: '/settings/accounts' })
    expect(await userIn(answer.tab)).toMatchObject({ id: userId })
    const [last] = await app.db.auditEvent.findMany({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' }, take: 1 })
    expect(last?.details).toEqual({ provider: 'github', factor: 'totp' })
    const session = await app.db.session.findFirstOrThrow({ where: { userId }, orderBy: { createdAt: 'desc' } })
    expect(session.authenticationMethods).toEqual(['fed', 'otp'])
  })

  test('asks for no code on a trusted device', async () => {
    const { userId, authenticator, clock } = await createPerson()
    const { tab } = await signInAt(app, 'github')
    await tab.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })
    await tab.post('/auth/sign-out')
    clock.advance(60)
    expect(callbackResult(await signInAt(app, 'github', tab))).toEqual([302, '/dashboard'])
    expect(await userIn(tab)).toMatchObject({ id: userId })
  })

  test('asks for the code when it joins an account by email', async () => {
    const { userId } = await createPerson({ linked: false })
    const answer = await signInAt(app, 'github')
    expect(callbackResult(answer)).toEqual([302, '/two-factor'])
    expect(await app.db.account.count({ where: { userId, providerId: 'github' } })).toBe(1)
    expect(await userIn(answer.tab)).toBeNull()
  })

  test('sets up, uses and disables a second factor with codes alone when the account has no password', async () => {
    personCount += 1
    const clock = holdClock()
    const email = `social-${personCount}@example.test`
    await github.set({ person: { id: personCount, login: 'cleo', emails: [{ email, primary: true, verified: true }] } })
    const { tab } = await signInAt(app, 'github')
    const { totpURI } = (await tab.post('/auth/two-factor/enable')).body as { totpURI: string }
    expect((await tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() })).status).toBe(200)
    clock.advance(30)
    const secondSignIn = await signInAt(app, 'github')
    expect(callbackResult(secondSignIn)).toEqual([302, '/two-factor'])
    expect((await secondSignIn.tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() })).status).toBe(200)
    clock.advance(30)
    expect((await secondSignIn.tab.post('/auth/two-factor/disable', { code: scan(totpURI).code() })).status).toBe(200)
    expect(callbackResult(await signInAt(app, 'github'))).toEqual([302, '/dashboard'])
  })

  test('leaves no session without a code when two-factor is enabled in parallel', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tab = await app.signedIn()
      personCount += 1
      await github.set({
        person: { id: personCount, login: 'ada', emails: [{ email: tab.person.email, primary: true, verified: true }] },
      })
      await linkAt(app, 'github', tab)
      const { totpURI } = (await tab.post('/auth/two-factor/enable', { password: tab.person.password })).body as {
        totpURI: string
      }
      const [, social] = await Promise.all([
        tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() }),
        signInAt(app, 'github'),
      ])
      expect(await userIn(social.tab)).toBeNull()
      expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(1)
    }
  })
})

describe('an account with a second factor', () => {
  test('T97: gets no session from a password reset, and the next sign-in asks for the code', async () => {
    const { person, userId, authenticator, backupCodes } = await createPerson()
    const tab = app.browser()
    await tab.post('/auth/forget-password', { email: person.email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(person.email)
    const reset = await tab.post('/auth/reset-password', { token, newPassword })
    expect([reset.body, tab.cookies.has('local-floorpass_session'), await isEnabled(userId)]).toEqual([
      { status: true },
      false,
      true,
    ])
    const signInAgain = () => tab.post('/auth/sign-in/email', { email: person.email, password: newPassword })
    expect((await signInAgain()).body).toEqual(challengeAnswer)
    expect((await tab.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
    await tab.post('/auth/sign-out')
    await signInAgain()
    expect((await tab.post('/auth/two-factor/verify', { code: backupCodes[0] })).status).toBe(200)
  })

  test('keeps its session when the password changes, and the next sign-in asks for the code', async () => {
    const { tab, person, userId } = await createPerson()
    expect((await tab.post('/auth/change-password', { currentPassword: person.password, newPassword })).status).toBe(200)
    expect(await isEnabled(userId)).toBe(true)
    expect((await app.browser().post('/auth/sign-in/email', { email: person.email, password: newPassword })).body).toEqual(
      challengeAnswer,
    )
  })

  test('gets no session from a verified email', async () => {
    const { tab, userId } = await createPerson()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    const elsewhere = app.browser()
    await elsewhere.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    expect([await userIn(elsewhere), elsewhere.cookies.size, await isEnabled(userId)]).toEqual([null, 0, true])
  })

  test('cannot disable it with update-user', async () => {
    const { tab, userId } = await createPerson()
    expect((await tab.post('/auth/update-user', { twoFactorEnabled: false })).code).toBe('FIELD_NOT_ALLOWED')
    expect(await isEnabled(userId)).toBe(true)
  })
})

describe('an undone email change', () => {
  const changeAndUndo = async (tab: Awaited<ReturnType<typeof signInWithFactor>>['tab'], meanwhile: () => Promise<unknown>) => {
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.drainMail()
    const { token } = app.outbox.to(tab.person.email).find(({ link }) => link.pathname === '/undo-email-change') ?? {}
    await meanwhile()
    const answer = await app.browser().post('/auth/undo-email-change', { token })
    expect(answer.body).toMatchObject({ status: true })
    await app.drainMail()
    await app.browser().post('/auth/reset-password', { token: app.outbox.lastTo(tab.person.email).token, newPassword })
    return (await app.browser().post('/auth/sign-in/email', { email: tab.person.email, password: newPassword })).body
  }

  test("keeps the owner's second factor", async () => {
    const { tab, userId } = await createPerson()
    await backdateFactor(userId)
    expect(await changeAndUndo(tab, async () => {})).toEqual(challengeAnswer)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(10)
  })

  test('removes the second factor that the thief set up, so that the owner can sign in', async () => {
    const tab = await app.signedIn()
    const signedIn = await changeAndUndo(tab, () => switchOnTwoFactor(tab, tab.person.password))
    expect(signedIn).toMatchObject({ token: expect.any(String), user: { twoFactorEnabled: false } })
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test("removes a second factor enabled shortly before the change, which may be the thief's", async () => {
    const { tab } = await createPerson()
    expect(await changeAndUndo(tab, async () => {})).toMatchObject({ user: { twoFactorEnabled: false } })
  })

  test('removes the passkeys of the week before the change and after it, and keeps the older one', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const day = 24 * 60 * 60_000
    const own = createSoftwareAuthenticator()
    const add = async () => ((await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }).id
    const backdate = (id: string, age: number) =>
      app.db.passkey.update({ where: { id }, data: { createdAt: new Date(Date.now() - age) } })
    const ownId = ((await addPasskey(tab, own)).body as { id: string }).id
    await backdate(ownId, 7 * day + 60_000)
    await backdate(await add(), 7 * day - 60_000)
    await changeAndUndo(tab, add)
    expect((await app.db.passkey.findMany({ where: { userId } })).map(({ id }) => id)).toEqual([ownId])
    const events = await app.db.auditEvent.findMany({ where: { userId, action: 'remove-passkey' } })
    expect(events.map(({ details }) => details)).toEqual([{ cause: 'undo-email-change', count: 2 }])
    expect((await signInWithPasskey(app.browser(), own)).body).toMatchObject({ user: { id: userId } })
  })

  test('removes a second factor that was set up before the change and confirmed after it', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const signedIn = await changeAndUndo(tab, () => tab.post('/auth/two-factor/verify', { code: authenticator.code() }))
    expect(signedIn).toMatchObject({ token: expect.any(String), user: { twoFactorEnabled: false } })
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test("keeps the owner's second factor and removes the backup codes that the thief created", async () => {
    const { tab, userId, person, clock } = await createPerson()
    await backdateFactor(userId)
    expect(
      await changeAndUndo(tab, async () => {
        clock.advance(1)
        await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password })
      }),
    ).toEqual(challengeAnswer)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(0)
  })
})

test('T103: a deleted account leaves nothing of its second factor', async () => {
  const { tab, person, userId } = await createPerson()
  // With a second factor, the password alone deletes nothing.
  await tab.post('/auth/delete-user')
  await app.drainMail()
  const { token } = app.outbox.lastTo(person.email)
  expect((await tab.post('/auth/delete-user', { token })).status).toBe(200)
  const where = { where: { userId } }
  expect(
    await Promise.all([
      app.db.twoFactor.count(where),
      app.db.backupCode.count(where),
      app.db.trustedDevice.count(where),
      app.db.verification.count(where),
    ]),
  ).toEqual([0, 0, 0, 0])
})

test('the tests above caused no unexpected error', () => {
  expect(app.warnings()).toEqual([])
})
