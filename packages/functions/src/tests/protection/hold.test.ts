import { policy } from '@floorpass/api'
import { askAboutKey, createApiKey } from '@floorpass/testing/api-keys'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { agePasskeys, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { linkAt } from '@floorpass/testing/social-flow'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { afterAll, describe, expect, test } from 'vitest'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp({ ...github.environment, SERVICE_KEYS: serviceKey })
const hour = 3600
const done = [200, undefined]
const newPassword = 'violet harbor ladder'

const heldUntil = async ({ userId }: SignedIn, { db }: TestApp = app) =>
  (await db.user.findUniqueOrThrow({ where: { id: userId } })).heldUntil
const reasonsOf = async (tab: SignedIn) =>
  ((await tab.get('/auth/protection/get')).body as { hold: { reasons: { reason: string }[] } }).hold.reasons.map(
    ({ reason }) => reason,
  )
const changePassword = (tab: SignedIn) => tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword })

async function resetPassword(tab: SignedIn, to: TestApp = app) {
  await to.browser().post('/auth/forget-password', { email: tab.person.email })
  await to.drainMail()
  const { token } = to.outbox.lastTo(tab.person.email)
  return to.browser().post('/auth/reset-password', { token, newPassword })
}

async function changeEmail(tab: SignedIn) {
  const { email: newEmail } = app.person()
  await tab.post('/auth/change-email', { newEmail })
  await app.drainMail()
  return tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
}

const switchOn = (tab: SignedIn) => switchOnTwoFactor(tab, tab.person.password)

/** Clears the hold that a preparation started. */
async function clearHold({ userId }: SignedIn) {
  await app.db.hold.deleteMany({ where: { userId } })
  await app.db.user.update({ where: { id: userId }, data: { heldUntil: null } })
}

const changes: { change: string; reason: string; hours: number; act: (tab: SignedIn) => Promise<unknown> }[] = [
  { change: 'a changed password', reason: 'change-password', hours: 24, act: changePassword },
  {
    change: 'a first password',
    reason: 'change-password',
    hours: 24,
    act: async (tab) => {
      await app.db.account.deleteMany({ where: { userId: tab.userId } })
      return tab.post('/auth/set-password', { newPassword })
    },
  },
  { change: 'a password reset', reason: 'reset-password', hours: 48, act: (tab) => resetPassword(tab) },
  { change: 'a changed email', reason: 'change-email', hours: 72, act: changeEmail },
  { change: 'a new second factor', reason: 'change-factor', hours: 24, act: switchOn },
  {
    change: 'a removed second factor',
    reason: 'change-factor',
    hours: 24,
    act: async (tab) => {
      await switchOn(tab)
      await clearHold(tab)
      return tab.post('/auth/two-factor/disable', { password: tab.person.password })
    },
  },
  {
    change: 'new backup codes',
    reason: 'change-factor',
    hours: 24,
    act: async (tab) => {
      await switchOn(tab)
      await clearHold(tab)
      return tab.post('/auth/two-factor/generate-backup-codes', { password: tab.person.password })
    },
  },
  { change: 'a new passkey', reason: 'add-passkey', hours: 24, act: (tab) => addPasskey(tab, createSoftwareAuthenticator()) },
  {
    change: 'a removed passkey',
    reason: 'remove-passkey',
    hours: 72,
    act: async (tab) => {
      const { body } = await addPasskey(tab, createSoftwareAuthenticator())
      await clearHold(tab)
      return tab.post('/auth/passkey/delete-passkey', { id: (body as { id: string }).id })
    },
  },
  {
    change: 'a linked account',
    reason: 'link-account',
    hours: 24,
    act: async (tab) => {
      const emails = [{ email: tab.person.email, primary: true, verified: true }]
      await github.set({ person: { id: 4711, login: 'ada', emails } })
      return linkAt(app, 'github', tab)
    },
  },
  {
    change: 'an unlinked account',
    reason: 'change-factor',
    hours: 24,
    act: async (tab) => {
      await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: tab.userId } })
      return tab.post('/auth/unlink-account', { providerId: 'github' })
    },
  },
]

describe.each(changes)('$change', ({ reason, hours, act }) => {
  test(`holds withdrawals for ${hours} hours`, async () => {
    holdClock()
    const tab = await app.signedIn()
    expect(await heldUntil(tab)).toBeNull()
    await act(tab)
    expect(await heldUntil(tab)).toEqual(new Date(Date.now() + hours * hour * 1000))
    expect(await app.db.hold.findMany({ where: { userId: tab.userId } })).toMatchObject([{ reason, startedAt: new Date() }])
  })
})

test('an account without a security change has no hold', async () => {
  const tab = await app.signedIn()
  await tab.post('/auth/update-user', { name: 'Ada', tradingEnabled: true })
  await tab.post('/auth/sign-in/email', tab.person)
  await tab.post('/auth/revoke-other-sessions')
  expect(await heldUntil(tab)).toBeNull()
})

describe('a hold', () => {
  const asService = { headers: { authorization: `Bearer ${serviceKey}` } }

  test('takes the right to withdraw from sessions, tokens and keys until it ends, to the second, and leaves trading', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    await tab.post('/auth/update-user', { tradingEnabled: true })
    const { key } = await createApiKey(tab, {
      permissions: { order: ['place'], withdrawal: ['create'] },
      passkey: await createAssertion(tab, authenticator),
    })
    await clearHold(tab)
    const look = async () => {
      const verified = (await tab.get('/auth/verify')).headers
      const { token } = (await tab.get('/auth/token')).body as { token: string }
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
      const cookie = tab.cookies.get('local-floorpass_session')
      const introspected = (await app.browser().post('/auth/introspect', { token: cookie }, asService)).body as object
      const asked = await askAboutKey(app.browser(), { key })
      return {
        session: ((await tab.get('/auth/get-session')).body as { user: { heldUntil: string | null } }).user.heldUntil,
        header: verified.get('x-auth-hold'),
        mayWithdraw: verified.get('x-auth-scopes')?.includes('withdrawal:create'),
        mayTrade: verified.get('x-auth-scopes')?.includes('order:place'),
        claim: claims.hold,
        claimedScope: String(claims.scope).includes('withdrawal:create'),
        introspected: (introspected as { hold?: number }).hold,
        key: asked.key?.permissions,
      }
    }
    const free = { header: '', mayWithdraw: true, mayTrade: true, claim: undefined, claimedScope: true, introspected: undefined }
    const keyFree = { key: { order: ['place'], withdrawal: ['create'] } }
    expect(await look()).toEqual({ session: null, ...free, ...keyFree })

    await changePassword(tab)
    const end = new Date(Date.now() + 24 * hour * 1000)
    const seconds = Math.floor(end.getTime() / 1000)
    const held = { header: String(seconds), mayWithdraw: false, claim: seconds, claimedScope: false, introspected: seconds }
    const keyHeld = { key: { order: ['place'] } }
    expect(await look()).toEqual({ ...free, session: end.toISOString(), ...held, ...keyHeld })
    clock.advance(24 * hour - 1)
    expect(await look()).toEqual({ ...free, session: end.toISOString(), ...held, ...keyHeld })
    clock.advance(1)
    expect(await look()).toEqual({ session: end.toISOString(), ...free, ...keyFree })
  })

  test('lasts longer when the clock is set back', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await changePassword(tab)
    clock.advance(-hour)
    clock.advance(24 * hour)
    await tab.post('/auth/sign-in/email', { ...tab.person, password: newPassword })
    expect((await tab.get('/auth/verify')).headers.get('x-auth-hold')).not.toBe('')
  })

  test('lasts until the last of several ends', async () => {
    holdClock()
    const tab = await app.signedIn()
    await resetPassword(tab)
    const end = await heldUntil(tab)
    await tab.post('/auth/sign-in/email', { ...tab.person, password: newPassword })
    await switchOnTwoFactor(tab, newPassword)
    expect(await heldUntil(tab)).toEqual(end)
    expect(await reasonsOf(tab)).toEqual(['reset-password', 'change-factor'])
  })

  test('keeps its start when its reason comes again, and starts again after it has ended', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await addPasskey(tab, createSoftwareAuthenticator())
    const read = () => app.db.hold.findUniqueOrThrow({ where: { userId_reason: { userId: tab.userId, reason: 'add-passkey' } } })
    const first = await read()
    clock.advance(60)
    await addPasskey(tab, createSoftwareAuthenticator())
    expect(await read()).toEqual({ ...first, endsAt: new Date(Date.now() + 24 * hour * 1000) })
    clock.advance(24 * hour)
    await tab.post('/auth/sign-in/email', tab.person)
    await addPasskey(tab, createSoftwareAuthenticator())
    expect((await read()).startedAt).toEqual(new Date())
  })

  test('lasts as long as HOLD_HOURS says', async () => {
    holdClock()
    const strict = await createTestApp({ HOLD_HOURS: '30,reset-password=72' })
    const [one, two] = [await strict.signedIn(), await strict.signedIn()]
    await changePassword(one)
    await resetPassword(two, strict)
    expect(await heldUntil(one, strict)).toEqual(new Date(Date.now() + 30 * hour * 1000))
    expect(await heldUntil(two, strict)).toEqual(new Date(Date.now() + 72 * hour * 1000))
  })
})

describe('ending a hold early', () => {
  type Owner = { tab: SignedIn; authenticator: SoftwareAuthenticator }
  async function createOwner(): Promise<Owner> {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    await clearHold(tab)
    return { tab, authenticator }
  }
  const lift = async ({ tab, authenticator }: Owner) =>
    outcome(await tab.post('/auth/protection/lift-hold', { passkey: await createAssertion(tab, authenticator) }))

  test('mails the owner, and shows in the activity', async () => {
    const owner = await createOwner()
    expect(await lift(owner)).toEqual([400, 'ACCOUNT_NOT_HELD'])
    await changePassword(owner.tab)
    expect(await lift(owner)).toEqual(done)
    expect(await heldUntil(owner.tab)).toBeNull()
    await app.drainMail()
    const { subject } = app.outbox.lastTo(owner.tab.person.email)
    expect(subject).toBe('A hold on your Floorpass withdrawals was ended early')
    expect(await app.db.auditEvent.findFirst({ where: { userId: owner.tab.userId, action: 'lift-hold' } })).toMatchObject({
      details: { reasons: 'change-password' },
    })
  })

  test('leaves the holds of others, and counts none that is over', async () => {
    const clock = holdClock()
    const [owner, other] = [await createOwner(), await createOwner()]
    for (const { tab } of [owner, other]) await changePassword(tab)
    expect(await lift(owner)).toEqual(done)
    expect(await reasonsOf(other.tab)).toEqual(['change-password'])
    clock.advance(24 * hour)
    await other.tab.post('/auth/sign-in/email', { ...other.tab.person, password: newPassword })
    expect(await reasonsOf(other.tab)).toEqual([])
    expect(await lift(other)).toEqual([400, 'ACCOUNT_NOT_HELD'])
  })

  test('needs a passkey that is a week older than the first of several holds', async () => {
    const clock = holdClock()
    const owner = await createOwner()
    await changePassword(owner.tab)
    const between = new Date(Date.now() - policy.panic.lifetime * 1000 + 1000)
    await app.db.passkey.updateMany({ where: { userId: owner.tab.userId }, data: { createdAt: between } })
    clock.advance(2)
    await switchOnTwoFactor(owner.tab, newPassword)
    expect(await reasonsOf(owner.tab)).toEqual(['change-password', 'change-factor'])
    expect(await lift(owner)).toEqual([403, 'PASSKEY_TOO_NEW'])
  })

  test('needs a passkey', async () => {
    const { tab } = await createOwner()
    await changePassword(tab)
    expect(outcome(await tab.post('/auth/protection/lift-hold', {}))).toEqual([403, 'PASSKEY_REQUIRED'])
    expect(await heldUntil(tab)).not.toBeNull()
  })

  test('refuses a passkey that was added after the first hold started', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const thief = { tab, authenticator: createSoftwareAuthenticator() }
    await changePassword(tab)
    await tab.post('/auth/sign-in/email', { ...tab.person, password: newPassword })
    clock.advance(1)
    await addPasskey(tab, thief.authenticator)
    clock.advance(1)
    await tab.post('/auth/change-password', { currentPassword: newPassword, newPassword: 'amber quarry lantern' })
    expect(await lift(thief)).toEqual([403, 'PASSKEY_TOO_NEW'])
    clock.advance(1)
    await addPasskey(tab, createSoftwareAuthenticator())
    expect(await lift(thief)).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect(await heldUntil(tab)).not.toBeNull()
  })

  test('refuses a passkey that was added just before the hold', async () => {
    for (let count = 0; count < 3; count += 1) {
      const tab = await app.signedIn()
      const thief = { tab, authenticator: createSoftwareAuthenticator() }
      await addPasskey(tab, thief.authenticator)
      expect(await lift(thief)).toEqual([403, 'PASSKEY_TOO_NEW'])
      expect(await heldUntil(tab)).not.toBeNull()
    }
  })

  test('refuses a passkey that is not a week older, to the millisecond', async () => {
    holdClock()
    const owner = await createOwner()
    await changePassword(owner.tab)
    const liftAtAge = async (milliseconds: number) => {
      const createdAt = new Date(Date.now() - milliseconds)
      await app.db.passkey.updateMany({ where: { userId: owner.tab.userId }, data: { createdAt } })
      const { body } = await owner.tab.get('/auth/protection/get')
      return [(body as { hold: { liftable: boolean } }).hold.liftable, ...(await lift(owner))]
    }
    expect(await liftAtAge(policy.panic.lifetime * 1000 - 1)).toEqual([false, 403, 'PASSKEY_TOO_NEW'])
    expect(await liftAtAge(policy.panic.lifetime * 1000)).toEqual([true, ...done])
  })

  test('leaves the hold of a changed email', async () => {
    const owner = await createOwner()
    await changeEmail(owner.tab)
    expect(await lift(owner)).toEqual([403, 'HOLD_NOT_LIFTABLE'])
    const end = await heldUntil(owner.tab)
    await switchOnTwoFactor(owner.tab, owner.tab.person.password)
    expect(await lift(owner)).toEqual(done)
    expect(await reasonsOf(owner.tab)).toEqual(['change-email'])
    expect(await heldUntil(owner.tab)).toEqual(end)
  })
})
