import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { addPasskey, signInWithPasskey } from '@floorpass/testing/passkeys'
import { linkAt, signInAt, userIn } from '@floorpass/testing/social-flow'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)

let personCount = 0
type Factors = { app?: boolean; passkey?: boolean; twoFactor?: boolean; trusted?: boolean }

/** Creates a person with a password and GitHub, and signs every browser out. `browser` may be a trusted device. */
async function createPerson({ app: hasApp, passkey, twoFactor, trusted }: Factors) {
  const clock = holdClock()
  const tab = await app.signedIn()
  const { person, userId } = tab
  personCount += 1
  const emails = [{ email: person.email, primary: true, verified: true }]
  await github.set({ person: { id: personCount, login: 'ada', emails } })
  await linkAt(app, 'github', tab)
  const key = createSoftwareAuthenticator()
  if (passkey) await addPasskey(tab, key)
  const codes = hasApp ? await switchOnTwoFactor(tab, person.password) : null
  if (twoFactor && !hasApp) await tab.post('/auth/two-factor/enable', { method: 'passkey', password: person.password })
  clock.advance(60)
  const browser = app.browser()
  if (trusted) {
    await browser.post('/auth/sign-in/email', person)
    await browser.post('/auth/two-factor/verify', { code: codes?.authenticator.code(), trustDevice: true })
    await browser.post('/auth/sign-out')
    clock.advance(60)
  }
  await app.db.session.deleteMany({ where: { userId } })
  return { browser, person, userId, key, codes }
}
type Person = Awaited<ReturnType<typeof createPerson>>

const states = {
  'no second factor': {},
  'a passkey beside it': { passkey: true },
  'an app': { app: true, twoFactor: true },
  'an app, on a trusted device': { app: true, twoFactor: true, trusted: true },
  'a passkey': { passkey: true, twoFactor: true },
  'an app and a passkey': { app: true, passkey: true, twoFactor: true },
  'an app and a passkey, on a trusted device': { app: true, passkey: true, twoFactor: true, trusted: true },
} satisfies Record<string, Factors>

const outcome = ({ status, code, body, headers }: Answer): string => {
  if (code !== undefined) return code
  const { twoFactorMethods } = (body ?? {}) as { twoFactorMethods?: string[] }
  if (twoFactorMethods) return `asks for ${twoFactorMethods.join(' or ')}`
  return status === 302 ? `goes to ${headers.get('location')}` : 'done'
}

const newPassword = 'violet harbor ladder'
/** Every way that a person can sign in or prove the address. */
const ways = {
  password: ({ browser, person }: Person) => browser.post('/auth/sign-in/email', person),
  provider: ({ browser }: Person) => signInAt(app, 'github', browser),
  passkey: ({ browser, key }: Person) => signInWithPasskey(browser, key),
  'passkey without its user': ({ browser, key }: Person) => signInWithPasskey(browser, key, { userVerified: false }),
  'reset link': async ({ browser, person: { email } }: Person) => {
    await browser.post('/auth/forget-password', { email })
    await app.drainMail()
    return browser.post('/auth/reset-password', { token: app.outbox.lastTo(email).token, newPassword })
  },
}
type Way = keyof typeof ways
const signedIn = 'signed in'

/** What each way leads to. A missing way cannot be tried: there is no passkey. */
const table: Record<keyof typeof states, Partial<Record<Way, string>>> = {
  'no second factor': { password: signedIn, provider: signedIn, 'reset link': 'done' },
  'a passkey beside it': {
    password: signedIn,
    provider: signedIn,
    passkey: signedIn,
    'passkey without its user': 'USER_VERIFICATION_REQUIRED',
    'reset link': 'done',
  },
  'an app': { password: 'asks for totp', provider: 'goes to /two-factor', 'reset link': 'done' },
  'an app, on a trusted device': { password: signedIn, provider: signedIn, 'reset link': 'done' },
  'a passkey': {
    password: 'asks for passkey',
    provider: 'goes to /two-factor',
    passkey: signedIn,
    'passkey without its user': 'USER_VERIFICATION_REQUIRED',
    'reset link': 'done',
  },
  'an app and a passkey': {
    password: 'asks for totp or passkey',
    provider: 'goes to /two-factor',
    passkey: signedIn,
    'passkey without its user': 'asks for totp',
    'reset link': 'done',
  },
  'an app and a passkey, on a trusted device': {
    password: signedIn,
    provider: signedIn,
    passkey: signedIn,
    'passkey without its user': 'asks for totp',
    'reset link': 'done',
  },
}

const isSignedIn = async (browser: Browser): Promise<boolean> => (await userIn(browser)) !== null

/** While two-factor is on, a session has a second factor or a trusted device. */
async function expectTwoFactors(userId: string): Promise<void> {
  const user = await app.db.user.findUniqueOrThrow({ where: { id: userId }, include: { sessions: true } })
  if (!user.twoFactorEnabled) return
  for (const { secondFactorAt, trustedDeviceId } of user.sessions) expect(secondFactorAt ?? trustedDeviceId).not.toBeNull()
}

describe.each(Object.keys(states) as (keyof typeof states)[])('an account with %s', (state) => {
  test.each(Object.entries(table[state]) as [Way, string][])('%s: %s', async (way, expected) => {
    const person = await createPerson(states[state])
    const answer = await ways[way](person)
    const isIn = await isSignedIn(person.browser)
    expect(isIn ? signedIn : outcome(answer)).toBe(expected)
    expect(await app.db.session.count({ where: { userId: person.userId } })).toBe(isIn ? 1 : 0)
    await expectTwoFactors(person.userId)
  })
})

describe('a second factor after a first one', () => {
  const second = {
    code: ({ browser, codes }: Person) => browser.post('/auth/two-factor/verify', { code: codes?.authenticator.code() }),
    'backup code': ({ browser, codes }: Person) => browser.post('/auth/two-factor/verify', { code: codes?.backupCodes[0] }),
    passkey: ways.passkey,
    'passkey without its user': ways['passkey without its user'],
  }
  test.each<[Way, keyof typeof second, string]>([
    ['password', 'code', signedIn],
    ['password', 'backup code', signedIn],
    ['password', 'passkey', signedIn],
    ['password', 'passkey without its user', signedIn],
    ['provider', 'code', signedIn],
    ['provider', 'backup code', signedIn],
    ['provider', 'passkey', signedIn],
    ['provider', 'passkey without its user', signedIn],
    ['passkey without its user', 'code', signedIn],
    ['passkey without its user', 'backup code', signedIn],
    ['passkey without its user', 'passkey', signedIn],
    ['passkey without its user', 'passkey without its user', 'USER_VERIFICATION_REQUIRED'],
  ])('%s, then %s: %s', async (way, factor, expected) => {
    const person = await createPerson(states['an app and a passkey'])
    await ways[way](person)
    const answer = await second[factor](person)
    expect((await isSignedIn(person.browser)) ? signedIn : outcome(answer)).toBe(expected)
    await expectTwoFactors(person.userId)
  })
})

test('lists every file that opens a session', () => {
  const rules = fileURLToPath(new URL('../../../../api/src/', import.meta.url))
  const files = readdirSync(rules, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const openers = files.filter((file) => /\b(completeSignIn|openSession|startSession)\(/.test(readFileSync(rules + file, 'utf8')))
  expect(openers.sort()).toEqual([
    'passkeys/register-by-link.ts',
    'passkeys/sign-in-passkey.ts',
    'passwords/change-password.ts',
    'sessions/session-store.ts',
    'sign-in/complete-sign-in.ts',
    'sign-in/finish-social.ts',
    'sign-in/sign-in-email.ts',
    'two-factor/verify-two-factor.ts',
  ])
})
