import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { landing, signInAt, userIn } from '@floorpass/testing/social-flow'
import { afterAll, expect, test } from 'vitest'

const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
afterAll(() => google.close())
const app = await createTestApp({
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  GOOGLE_ISSUER: google.issuer,
})

let people = 0
const sits = (email: string, verified = true) => {
  people += 1
  google.person = { sub: `p-${people}`, email, email_verified: verified, name: 'Owner' }
}
const signIn = (person: { email: string; password: string }) => app.browser().post('/auth/sign-in/email', person)

test('T81: what a sign-up without the mailbox left is void once a provider proves the address', async () => {
  const attacker = await app.signUp()
  const { token } = app.outbox.lastTo(attacker.email)
  await app.browser().post('/auth/forget-password', { email: attacker.email })
  await app.mailed()
  const reset = app.outbox.lastTo(attacker.email).token
  sits(attacker.email)
  const owner = await signInAt(app, 'google')
  expect(landing(owner)).toEqual([302, '/dashboard'])
  const user = await userIn(owner.tab)
  expect(user).toMatchObject({ email: attacker.email, emailVerified: true, name: 'Owner' })

  expect((await signIn(attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  expect((await app.browser().post('/auth/verify-email', { token })).code).toBe('INVALID_TOKEN')
  expect((await signIn(attacker)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  const old = await app.browser().post('/auth/reset-password', { token: reset, newPassword: 'violet harbor ladder' })
  expect([old.code, old.status]).toEqual(['INVALID_TOKEN', 400])
  const accounts = await app.db.account.findMany({ where: { userId: user?.id ?? '' } })
  expect(accounts.map(({ providerId }) => providerId)).toEqual(['google'])
})

test('T81: sessions, links, tokens and the second factor of an unproved user row go too', async () => {
  const squatter = await app.signedIn()
  await switchOnTwoFactor(squatter, squatter.person.password)
  expect(await app.db.twoFactor.count({ where: { userId: squatter.userId } })).toBe(1)
  await app.db.user.update({ where: { id: squatter.userId }, data: { emailVerified: false } })
  await app.db.account.create({ data: { userId: squatter.userId, providerId: 'github', accountId: 'attacker' } })
  sits(squatter.person.email)
  const owner = await signInAt(app, 'google')
  // A factor that stayed would ask for the squatter's code here.
  expect(landing(owner)).toEqual([302, '/dashboard'])
  expect(await userIn(owner.tab)).toMatchObject({ id: expect.not.stringMatching(squatter.userId), twoFactorEnabled: false })
  expect(await app.db.twoFactor.count()).toBe(0)
  expect(await userIn(squatter)).toBeNull()
  expect(await app.db.account.count({ where: { accountId: 'attacker' } })).toBe(0)
  expect((await signIn(squatter.person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
})

test('a proved local address and a proved one at the provider are one user, with the password kept', async () => {
  const person = await app.verified()
  sits(person.email)
  const { tab } = await signInAt(app, 'google')
  expect(await userIn(tab)).toMatchObject({ email: person.email, name: person.name })
  expect((await signIn(person)).status).toBe(200)
  await app.mailed()
  expect(app.outbox.lastTo(person.email).subject).toBe('Google now signs in to your Floorpass account')
})

test('T75: a proved local address is not joined by an unproved one, and the answer is that of an unknown one', async () => {
  const person = await app.verified()
  sits(person.email, false)
  expect(landing(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  sits('unknown@example.test', false)
  expect(landing(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  expect(await app.db.account.count({ where: { providerId: 'google', user: { email: person.email } } })).toBe(0)
})

test('T75: an unproved provider address leaves an unproved sign-up alone', async () => {
  const person = await app.signUp()
  sits(person.email, false)
  expect(landing(await signInAt(app, 'google'))).toEqual([302, '/login?error=email_not_verified'])
  await app.browser().post('/auth/verify-email', { token: app.outbox.lastTo(person.email).token })
  expect((await signIn(person)).status).toBe(200)
})
