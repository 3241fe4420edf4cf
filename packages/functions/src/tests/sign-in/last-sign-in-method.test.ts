import { findSignInMethod } from '@floorpass/api'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createSocialApp } from '@floorpass/testing/create-social-app'
import { addPasskey, signInWithPasskey } from '@floorpass/testing/passkeys'
import { signInAt } from '@floorpass/testing/social-flow'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { expect, test } from 'vitest'

const { app, google, github } = await createSocialApp()
const name = 'floorpass_sign_in_method'
type Cookies = { cookies: Map<string, string> }
const methodOf = ({ cookies }: Cookies) => cookies.get(name)

test('a sign-in records its way: a password, a passkey, each provider', async () => {
  const tab = await app.signedIn()
  expect(methodOf(tab)).toBe('password')
  const authenticator = createSoftwareAuthenticator()
  await addPasskey(tab, authenticator)
  const other = app.browser()
  expect((await signInWithPasskey(other, authenticator)).status).toBe(200)
  expect(methodOf(other)).toBe('passkey')

  const email = app.person().email
  google.person = { sub: email, email, email_verified: true, name: 'Ada' }
  await github.set({ person: { id: 7, login: 'ada', name: 'Ada', emails: [{ email, primary: true, verified: true }] } })
  expect(methodOf((await signInAt(app, 'google')).tab)).toBe('google')
  expect(methodOf((await signInAt(app, 'github')).tab)).toBe('github')
})

test('a second factor keeps the way that the sign-in began with', async () => {
  const owner = await app.signedIn()
  const { email, password } = owner.person
  const { backupCodes } = await switchOnTwoFactor(owner, password)
  const tab = app.browser()
  await tab.post('/auth/sign-in/email', { email, password })
  expect(methodOf(tab), 'a challenge is no sign-in').toBeUndefined()
  expect((await tab.post('/auth/two-factor/verify', { code: backupCodes[0], type: 'backup' })).status).toBe(200)
  expect(methodOf(tab)).toBe('password')
})

test('a refused sign-in records nothing', async () => {
  const { email } = await app.verified()
  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password: 'something else' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  await github.set({ failure: null, person: { id: 8, login: 'bob', name: 'Bob', emails: [] } })
  const refused = await signInAt(app, 'github')
  expect(refused.headers.get('location')).toBe('/login?error=email_not_found')
  expect([methodOf(tab), methodOf(refused.tab)]).toEqual([undefined, undefined])
})

test('the record survives a sign-out, and deleting the account removes it', async () => {
  const tab = await app.signedIn()
  await tab.post('/auth/sign-out')
  expect(methodOf(tab)).toBe('password')
  const { email, password } = tab.person
  await tab.post('/auth/sign-in/email', { email, password })
  expect((await tab.post('/auth/delete-user', { password })).status).toBe(200)
  expect(methodOf(tab)).toBeUndefined()
})

test('only a known way is read from the cookie', () => {
  const read = (value: string, cookie = name) =>
    findSignInMethod({
      cookies: { get: (wanted) => (wanted === cookie ? value : undefined), all: () => [], set: () => {} },
      settings: app.service.deps.settings,
    })
  expect(['password', 'passkey', 'google', 'github'].map((value) => read(value))).toEqual([
    'password',
    'passkey',
    'google',
    'github',
  ])
  for (const value of ['', 'Password', '<script>', 'constructor', 'ada@example.test', 'password,google'])
    expect([value, read(value)]).toEqual([value, null])
  expect(read('password', `__Host-${name}`)).toBeNull()
})
