import { scan, setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { landing, linkAt, signInAt, userIn } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)
const challenged = { twoFactorRedirect: true, twoFactorMethods: ['totp'] }
const newPassword = 'violet harbor ladder'

let ids = 0
/** A person with a password, GitHub and a factor. */
async function withFactor({ linked = true } = {}) {
  const clock = holdClock()
  const tab = await app.signedIn()
  ids += 1
  await github.set({ person: { id: ids, login: 'ada', emails: [{ email: tab.person.email, primary: true, verified: true }] } })
  if (linked) await linkAt(app, 'github', tab)
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
  clock.advance(60)
  return { tab, clock, authenticator, backupCodes, person: tab.person, userId: tab.userId }
}
/** As if the factor had been set up long before. */
async function makeOld(userId: string) {
  const createdAt = new Date(Date.now() - 30 * 86_400_000)
  await app.db.twoFactor.update({ where: { userId }, data: { createdAt, confirmedAt: createdAt } })
  await app.db.backupCode.updateMany({ where: { userId }, data: { createdAt } })
}
const enabled = async (id: string) => (await app.db.user.findUniqueOrThrow({ where: { id } })).twoFactorEnabled

describe('T79: a sign-in by a provider', () => {
  test('is asked for the code, then leads where it was going', async () => {
    const { userId, authenticator } = await withFactor()
    const before = await app.db.session.count({ where: { userId } })
    const answer = await signInAt(app, 'github', app.browser(), { callbackURL: '/settings/accounts' })
    expect(landing(answer)).toEqual([302, '/two-factor'])
    expect([await userIn(answer.tab), answer.tab.cookies.has('floorpass_session')]).toEqual([null, false])
    expect(await app.db.session.count({ where: { userId } })).toBe(before)
    const passed = await answer.tab.post('/auth/two-factor/verify', { code: authenticator.code() })
    expect(passed.body).toMatchObject({ user: { id: userId }, url: '/settings/accounts' })
    expect(await userIn(answer.tab)).toMatchObject({ id: userId })
    const [last] = await app.db.auditEvent.findMany({ where: { userId, action: 'sign-in' }, orderBy: { id: 'desc' }, take: 1 })
    expect(last?.details).toEqual({ provider: 'github', factor: 'totp' })
  })

  test('is not asked on a trusted device', async () => {
    const { userId, authenticator, clock } = await withFactor()
    const { tab } = await signInAt(app, 'github')
    await tab.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })
    await tab.post('/auth/sign-out')
    clock.advance(60)
    expect(landing(await signInAt(app, 'github', tab))).toEqual([302, '/dashboard'])
    expect(await userIn(tab)).toMatchObject({ id: userId })
  })

  test('that joins an account by its address is asked too', async () => {
    const { userId } = await withFactor({ linked: false })
    const answer = await signInAt(app, 'github')
    expect(landing(answer)).toEqual([302, '/two-factor'])
    expect(await app.db.account.count({ where: { userId, providerId: 'github' } })).toBe(1)
    expect(await userIn(answer.tab)).toBeNull()
  })

  test('of somebody without a password sets up, signs in, and switches off with codes alone', async () => {
    ids += 1
    const clock = holdClock()
    const email = `social-${ids}@example.test`
    await github.set({ person: { id: ids, login: 'cleo', emails: [{ email, primary: true, verified: true }] } })
    const { tab } = await signInAt(app, 'github')
    const { totpURI } = (await tab.post('/auth/two-factor/enable')).body as { totpURI: string }
    expect((await tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() })).status).toBe(200)
    clock.advance(30)
    const again = await signInAt(app, 'github')
    expect(landing(again)).toEqual([302, '/two-factor'])
    expect((await again.tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() })).status).toBe(200)
    clock.advance(30)
    expect((await again.tab.post('/auth/two-factor/disable', { code: scan(totpURI).code() })).status).toBe(200)
    expect(landing(await signInAt(app, 'github'))).toEqual([302, '/dashboard'])
  })

  test('under way while the factor is switched on leaves no session without a code', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tab = await app.signedIn()
      ids += 1
      await github.set({
        person: { id: ids, login: 'ada', emails: [{ email: tab.person.email, primary: true, verified: true }] },
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

describe('what must not drop a factor', () => {
  test('T97: a reset signs nobody in, and the next sign-in is asked for the code', async () => {
    const { person, userId, authenticator, backupCodes } = await withFactor()
    const tab = app.browser()
    await tab.post('/auth/forget-password', { email: person.email })
    await app.mailed()
    const { token } = app.outbox.lastTo(person.email)
    const reset = await tab.post('/auth/reset-password', { token, newPassword })
    expect([reset.body, tab.cookies.has('floorpass_session'), await enabled(userId)]).toEqual([{ status: true }, false, true])
    const signIn = () => tab.post('/auth/sign-in/email', { email: person.email, password: newPassword })
    expect((await signIn()).body).toEqual(challenged)
    expect((await tab.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
    await tab.post('/auth/sign-out')
    await signIn()
    expect((await tab.post('/auth/two-factor/verify', { code: backupCodes[0] })).status).toBe(200)
  })

  test('a changed password goes on with this session, and the next sign-in is asked', async () => {
    const { tab, person, userId } = await withFactor()
    expect((await tab.post('/auth/change-password', { currentPassword: person.password, newPassword })).status).toBe(200)
    expect(await enabled(userId)).toBe(true)
    expect((await app.browser().post('/auth/sign-in/email', { email: person.email, password: newPassword })).body).toEqual(
      challenged,
    )
  })

  test('a proved address signs nobody in', async () => {
    const { tab, userId } = await withFactor()
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.mailed()
    const elsewhere = app.browser()
    await elsewhere.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    expect([await userIn(elsewhere), elsewhere.cookies.size, await enabled(userId)]).toEqual([null, 0, true])
  })

  test('update-user does not', async () => {
    const { tab, userId } = await withFactor()
    expect((await tab.post('/auth/update-user', { twoFactorEnabled: false })).code).toBe('FIELD_NOT_ALLOWED')
    expect(await enabled(userId)).toBe(true)
  })
})

describe('an address that is taken back', () => {
  const takeBack = async (tab: Awaited<ReturnType<typeof withFactor>>['tab'], meanwhile: () => Promise<unknown>) => {
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.mailed()
    await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    await app.mailed()
    const { token } = app.outbox.to(tab.person.email).find(({ link }) => link.pathname === '/undo-email-change') ?? {}
    await meanwhile()
    const answer = await app.browser().post('/auth/undo-email-change', { token })
    expect(answer.body).toMatchObject({ status: true })
    await app.mailed()
    await app.browser().post('/auth/reset-password', { token: app.outbox.lastTo(tab.person.email).token, newPassword })
    return (await app.browser().post('/auth/sign-in/email', { email: tab.person.email, password: newPassword })).body
  }

  test('keeps the factor that its owner had', async () => {
    const { tab, userId } = await withFactor()
    await makeOld(userId)
    expect(await takeBack(tab, async () => {})).toEqual(challenged)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(10)
  })

  test('loses the factor that the stranger set up, so that the owner gets in', async () => {
    const tab = await app.signedIn()
    const signedIn = await takeBack(tab, () => switchOnTwoFactor(tab, tab.person.password))
    expect(signedIn).toMatchObject({ token: expect.any(String), user: { twoFactorEnabled: false } })
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('loses the factor that was switched on shortly before: it may be how the stranger began', async () => {
    const { tab } = await withFactor()
    expect(await takeBack(tab, async () => {})).toMatchObject({ user: { twoFactorEnabled: false } })
  })

  test('loses the factor that was prepared before the change and switched on after it', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await setUpTwoFactor(tab, tab.person.password)
    const signedIn = await takeBack(tab, () => tab.post('/auth/two-factor/verify', { code: authenticator.code() }))
    expect(signedIn).toMatchObject({ token: expect.any(String), user: { twoFactorEnabled: false } })
    expect(await app.db.backupCode.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test("keeps the owner's factor and loses the backup codes that the stranger made", async () => {
    const { tab, userId, person, clock } = await withFactor()
    await makeOld(userId)
    expect(
      await takeBack(tab, async () => {
        clock.advance(1)
        await tab.post('/auth/two-factor/generate-backup-codes', { password: person.password })
      }),
    ).toEqual(challenged)
    expect(await app.db.backupCode.count({ where: { userId } })).toBe(0)
  })
})

test('T103: a deleted account leaves nothing of its factor', async () => {
  const { tab, person, userId } = await withFactor()
  expect((await tab.post('/auth/delete-user', { password: person.password })).status).toBe(200)
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

test('nothing of all this was unforeseen', () => {
  expect(app.unforeseen()).toEqual([])
})
