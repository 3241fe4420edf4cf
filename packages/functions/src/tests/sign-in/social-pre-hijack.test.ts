import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { signIn } from '@floorpass/testing/sign-in'
import { callbackResult, signInAt, userIn } from '@floorpass/testing/social-flow'
import { afterAll, expect, test } from 'vitest'

const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
afterAll(() => google.close())
const app = await createTestApp(google.environment)

let peopleCount = 0
const setPerson = (email: string, verified = true) => {
  peopleCount += 1
  google.person = { sub: `p-${peopleCount}`, email, email_verified: verified, name: 'Owner' }
}

test('T81: an unverified sign-up loses its password and links when a provider verifies the email', async () => {
  const attacker = await app.signUp()
  const { token } = app.outbox.lastTo(attacker.email)
  await app.browser().post('/auth/forget-password', { email: attacker.email })
  await app.drainMail()
  const reset = app.outbox.lastTo(attacker.email).token
  setPerson(attacker.email)
  const owner = await signInAt(app, 'google')
  expect(callbackResult(owner)).toEqual([302, '/dashboard'])
  const user = await userIn(owner.tab)
  expect(user).toMatchObject({ email: attacker.email, emailVerified: true, name: 'Owner' })

  expect((await signIn(app, attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  expect((await app.browser().post('/auth/verify-email', { token })).code).toBe('INVALID_TOKEN')
  expect((await signIn(app, attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  const old = await app.browser().post('/auth/reset-password', { token: reset, newPassword: 'violet harbor ladder' })
  expect([old.code, old.status]).toEqual(['INVALID_TOKEN', 400])
  const accounts = await app.db.account.findMany({ where: { userId: user?.id ?? '' } })
  expect(accounts.map(({ providerId }) => providerId)).toEqual(['google'])
})

test('T81: an unverified user loses sessions, links, tokens and second factor too', async () => {
  const squatter = await app.signedIn()
  await switchOnTwoFactor(squatter, squatter.person.password)
  expect(await app.db.twoFactor.count({ where: { userId: squatter.userId } })).toBe(1)
  await app.db.user.update({ where: { id: squatter.userId }, data: { emailVerified: false } })
  await app.db.account.create({ data: { userId: squatter.userId, providerId: 'github', accountId: 'attacker' } })
  setPerson(squatter.person.email)
  const owner = await signInAt(app, 'google')
  // A second factor left behind would ask for the squatter's code here.
  expect(callbackResult(owner)).toEqual([302, '/dashboard'])
  expect(await userIn(owner.tab)).toMatchObject({ id: expect.not.stringMatching(squatter.userId), twoFactorEnabled: false })
  expect(await app.db.twoFactor.count()).toBe(0)
  expect(await userIn(squatter)).toBeNull()
  expect(await app.db.account.count({ where: { accountId: 'attacker' } })).toBe(0)
  expect((await signIn(app, squatter.person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
})

test('a verified email joins the same verified email at the provider and keeps the password', async () => {
  const person = await app.verified()
  setPerson(person.email)
  const { tab } = await signInAt(app, 'google')
  expect(await userIn(tab)).toMatchObject({ email: person.email, name: person.name })
  expect((await signIn(app, person)).status).toBe(200)
  await app.drainMail()
  expect(app.outbox.lastTo(person.email).subject).toBe('You can now sign in to Floorpass with Google')
})

test('T75: a verified account is not joined by an unverified provider email, and the answer is that of an unknown email', async () => {
  const person = await app.verified()
  setPerson(person.email, false)
  expect(callbackResult(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  setPerson('unknown@example.test', false)
  expect(callbackResult(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  expect(await app.db.account.count({ where: { providerId: 'google', user: { email: person.email } } })).toBe(0)
})

test('T75: an unverified provider email leaves an unverified sign-up alone', async () => {
  const person = await app.signUp()
  setPerson(person.email, false)
  expect(callbackResult(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  await app.browser().post('/auth/verify-email', { token: app.outbox.lastTo(person.email).token })
  expect((await signIn(app, person)).status).toBe(200)
})
