import { policy } from '@floorpass/api'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { agePasskeys, lockUser, type SignedIn } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 86_400
const done = [200, undefined]
const locked = [423, 'ACCOUNT_LOCKED']

type Owner = { tab: SignedIn; authenticator: SoftwareAuthenticator }

async function createOwner(): Promise<Owner> {
  const tab = await app.signedIn()
  const authenticator = createSoftwareAuthenticator()
  await addPasskey(tab, authenticator)
  await agePasskeys(app, tab.userId)
  return { tab, authenticator }
}

async function lock({ tab, authenticator }: Owner, days = 7): Promise<string> {
  const { status, body } = await tab.post('/auth/protection/lock', { days, passkey: await createAssertion(tab, authenticator) })
  expect(status).toBe(200)
  return (body as { lockKey: string }).lockKey
}

const unlock = async ({ tab, authenticator }: Owner, key: string) =>
  outcome(await tab.post('/auth/protection/unlock-with-key', { key, passkey: await createAssertion(tab, authenticator) }))

const setPhrase = async ({ tab }: Owner) => outcome(await tab.post('/auth/protection/set-phrase', { phrase: 'Blue heron' }))
const lockOf = async ({ tab }: Pick<Owner, 'tab'>) =>
  ((await tab.get('/auth/protection/get')).body as { lock: Record<string, unknown> }).lock
const eventsOf = async ({ tab: { userId } }: Owner) =>
  (await app.db.auditEvent.findMany({ where: { userId }, orderBy: { id: 'asc' } })).map(({ action }) => action)
const subjectsTo = async ({ tab: { person } }: Owner) => {
  await app.drainMail()
  return app.outbox.to(person.email).map(({ subject }) => subject)
}

describe('a lock', () => {
  test('needs a passkey that is at least a week old, to the second', async () => {
    holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    expect(outcome(await tab.post('/auth/protection/lock', { days: 7 }))).toEqual([403, 'PASSKEY_REQUIRED'])
    await addPasskey(tab, authenticator)
    const lockAtAge = async (age: number) => {
      const createdAt = new Date(Date.now() - age * 1000)
      await app.db.passkey.updateMany({ where: { userId: tab.userId }, data: { createdAt } })
      const passkey = await createAssertion(tab, authenticator)
      return outcome(await tab.post('/auth/protection/lock', { days: 7, passkey }))
    }
    expect(await lockAtAge(policy.panic.lifetime - 1)).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect((await lockOf({ tab })).locked).toBe(false)
    expect(await lockAtAge(policy.panic.lifetime)).toEqual(done)
    expect(await lockOf({ tab })).toMatchObject({ locked: true, kind: 'owner', unlockDays: 7, unlockAt: null, hasKey: true })
  })

  test('refuses a passkey of another user, and one that does not verify its user', async () => {
    const [owner, other] = [await createOwner(), await createOwner()]
    const foreign = await createAssertion(other.tab, other.authenticator)
    expect(outcome(await owner.tab.post('/auth/protection/lock', { days: 7, passkey: foreign }))).toEqual([
      400,
      'CHALLENGE_NOT_FOUND',
    ])
    const unverified = await createAssertion(owner.tab, owner.authenticator, { userVerified: false })
    expect(outcome(await owner.tab.post('/auth/protection/lock', { days: 7, passkey: unverified }))).toEqual([
      403,
      'USER_VERIFICATION_REQUIRED',
    ])
    expect((await lockOf(owner)).locked).toBe(false)
  })

  test('accepts only the days that LOCK_DAYS allows', async () => {
    const strict = await createTestApp({ LOCK_DAYS: '3-5' })
    const tab = await strict.signedIn()
    for (const days of [2, 6]) {
      expect(outcome(await tab.post('/auth/protection/lock', { days }))).toEqual([400, 'LOCK_DAYS_NOT_ALLOWED'])
    }
    for (const days of [0, 31, 1.5]) {
      expect(outcome(await tab.post('/auth/protection/lock', { days }))).toEqual([400, 'VALIDATION_ERROR'])
    }
    for (const days of [3, 5]) {
      expect(outcome(await tab.post('/auth/protection/lock', { days }))).toEqual([403, 'PASSKEY_REQUIRED'])
    }
  })

  test('cannot be turned on twice', async () => {
    const owner = await createOwner()
    await lock(owner)
    const passkey = await createAssertion(owner.tab, owner.authenticator)
    expect(outcome(await owner.tab.post('/auth/protection/lock', { days: 1, passkey }))).toEqual(locked)
    expect(await lockOf(owner)).toMatchObject({ unlockDays: 7 })
  })

  test('lets its owner sign in, sign out other devices and read', async () => {
    const owner = await createOwner()
    await lock(owner)
    const { person } = owner.tab
    expect(outcome(await owner.tab.post('/auth/sign-in/email', person))).toEqual(done)
    expect(outcome(await owner.tab.post('/auth/revoke-other-sessions'))).toEqual(done)
    expect(outcome(await owner.tab.get('/auth/export-data'))).toEqual(done)
    expect(outcome(await owner.tab.post('/auth/update-user', { name: 'Ada' }))).toEqual(done)
    expect(outcome(await owner.tab.post('/auth/update-user', { tradingEnabled: false }))).toEqual(done)
    expect(outcome(await owner.tab.post('/auth/update-user', { tradingEnabled: true }))).toEqual(locked)
    expect(outcome(await owner.tab.post('/auth/update-user', { riskLevel: 'aggressive' }))).toEqual(locked)
  })

  test('takes the right to withdraw from a session and a key, and leaves trading', async () => {
    const owner = await createOwner()
    await owner.tab.post('/auth/update-user', { tradingEnabled: true })
    await app.db.user.update({ where: { id: owner.tab.userId }, data: { heldUntil: null } })
    const scopes = async () => (await owner.tab.get('/auth/verify')).headers.get('x-auth-scopes')
    expect(await scopes()).toContain('withdrawal:create')
    await lock(owner)
    expect(await scopes()).not.toContain('withdrawal:create')
    expect(await scopes()).toContain('order:place')
  })
})

describe('a request to unlock', () => {
  test('ends the lock after the chosen days, to the second, and mails the owner', async () => {
    const clock = holdClock()
    const owner = await createOwner()
    await lock(owner, 3)
    const { body } = await owner.tab.post('/auth/protection/request-unlock')
    expect(body).toEqual({ unlockAt: new Date(Date.now() + 3 * day * 1000).toISOString() })
    expect((await subjectsTo(owner)).at(-1)).toBe('Your Floorpass account will be unlocked')
    clock.advance(3 * day - 1)
    await owner.tab.post('/auth/sign-in/email', owner.tab.person)
    expect(await setPhrase(owner)).toEqual(locked)
    clock.advance(1)
    expect(await setPhrase(owner)).toEqual(done)
    expect(await lockOf(owner)).toMatchObject({ locked: false, kind: null })
  })

  test('waits longer when the clock is set back', async () => {
    const clock = holdClock()
    const owner = await createOwner()
    await lock(owner, 1)
    await owner.tab.post('/auth/protection/request-unlock')
    clock.advance(-3600)
    clock.advance(day)
    await owner.tab.post('/auth/sign-in/email', owner.tab.person)
    expect(await setPhrase(owner)).toEqual(locked)
  })

  test('does not restart the wait when it is repeated', async () => {
    const clock = holdClock()
    const owner = await createOwner()
    await lock(owner)
    const first = (await owner.tab.post('/auth/protection/request-unlock')).body
    clock.advance(60)
    expect((await owner.tab.post('/auth/protection/request-unlock')).body).toEqual(first)
    expect((await eventsOf(owner)).filter((action) => action === 'request-unlock')).toHaveLength(1)
  })

  test('can be canceled at once, which mails the owner', async () => {
    const clock = holdClock()
    const owner = await createOwner()
    await lock(owner, 1)
    expect(outcome(await owner.tab.post('/auth/protection/cancel-unlock'))).toEqual([400, 'UNLOCK_NOT_REQUESTED'])
    await owner.tab.post('/auth/protection/request-unlock')
    expect(outcome(await owner.tab.post('/auth/protection/cancel-unlock'))).toEqual(done)
    expect((await subjectsTo(owner)).at(-1)).toBe('Your Floorpass account stays locked')
    clock.advance(2 * day)
    await owner.tab.post('/auth/sign-in/email', owner.tab.person)
    expect(await setPhrase(owner)).toEqual(locked)
  })

  test('is refused while no lock is on', async () => {
    const owner = await createOwner()
    for (const path of ['request-unlock', 'cancel-unlock'])
      expect(outcome(await owner.tab.post(`/auth/protection/${path}`))).toEqual([400, 'ACCOUNT_NOT_LOCKED'])
    expect(await unlock(owner, 'wrong')).toEqual([400, 'ACCOUNT_NOT_LOCKED'])
  })
})

describe('the lock key', () => {
  test('ends the lock at once with a passkey, in capitals or without dashes', async () => {
    const owner = await createOwner()
    const key = await lock(owner)
    expect(key).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){4}[0-9a-hjkmnp-tv-z]{5}$/)
    expect(await unlock(owner, ` ${key.toUpperCase().replaceAll('-', ' ')} `)).toEqual(done)
    expect(await lockOf(owner)).toMatchObject({ locked: false, hasKey: false })
    expect((await subjectsTo(owner)).at(-1)).toBe('Your Floorpass account is unlocked')
    expect(await setPhrase(owner)).toEqual(done)
  })

  test('is stored as a hash only', async () => {
    const owner = await createOwner()
    const key = await lock(owner)
    expect(JSON.stringify(await app.readAllRows())).not.toContain(key.replaceAll('-', ''))
    expect(JSON.stringify(await app.readAllRows())).not.toContain(key)
  })

  test('does not unlock without a passkey, nor a passkey without the key; each try mails the owner', async () => {
    const owner = await createOwner()
    const key = await lock(owner)
    expect(outcome(await owner.tab.post('/auth/protection/unlock-with-key', { key }))).toEqual([403, 'PASSKEY_REQUIRED'])
    expect(await unlock(owner, 'wrong-key')).toEqual([401, 'INVALID_LOCK_KEY'])
    expect((await subjectsTo(owner)).at(-1)).toBe('Someone tried to unlock your Floorpass account')
    expect(await eventsOf(owner)).toContain('refuse-unlock')
    expect((await lockOf(owner)).locked).toBe(true)
  })

  test('does not work with a passkey that is newer than the lock', async () => {
    const owner = await createOwner()
    const key = await lock(owner)
    await app.db.passkey.updateMany({ where: { userId: owner.tab.userId }, data: { createdAt: new Date(Date.now() + 1000) } })
    expect(await unlock(owner, key)).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect((await lockOf(owner)).locked).toBe(true)
  })

  test('does not unlock another account', async () => {
    const [owner, other] = [await createOwner(), await createOwner()]
    await lock(owner)
    expect(await unlock(owner, await lock(other))).toEqual([401, 'INVALID_LOCK_KEY'])
  })

  test('allows five tries an hour, and counts only those with a passkey', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(limited, tab.userId)
    await lockUser(limited, tab.userId)
    const attempt = async (fields: object) =>
      outcome(await tab.post('/auth/protection/unlock-with-key', { key: 'wrong', ...fields }))
    for (let count = 0; count < 7; count += 1) expect(await attempt({})).toEqual([403, 'PASSKEY_REQUIRED'])
    const withPasskey = async () => attempt({ passkey: await createAssertion(tab, authenticator) })
    for (let count = 0; count < 5; count += 1) expect(await withPasskey()).toEqual([401, 'INVALID_LOCK_KEY'])
    expect(await withPasskey()).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(await limited.db.auditEvent.count({ where: { userId: tab.userId, action: 'refuse-unlock' } })).toBe(6)
    await limited.drainMail()
    expect(limited.outbox.to(tab.person.email).filter(({ subject }) => subject.includes('tried to unlock'))).toHaveLength(6)
  })

  test('ends a lock once when several requests use it at the same time', async () => {
    const owner = await createOwner()
    const key = await lock(owner)
    const assertions = [
      await createAssertion(owner.tab, owner.authenticator),
      await createAssertion(owner.tab, owner.authenticator),
    ]
    const answers = await Promise.all(
      assertions.map((passkey) => owner.tab.post('/auth/protection/unlock-with-key', { key, passkey })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await eventsOf(owner)).filter((action) => action === 'unlock-account')).toHaveLength(1)
  })
})

const waitingChanges: [string, (owner: Owner) => Promise<unknown[]>][] = [
  ['phrase', setPhrase],
  ['email', async ({ tab }) => outcome(await tab.post('/auth/change-email', { newEmail: app.person().email }))],
]

test.runIf(testDatabase.kind === 'postgres').each(waitingChanges)(
  'a change of the %s that waits is refused when the account is locked in the meantime',
  async (_what, change) => {
    const owner = await createOwner()
    const { userId } = owner.tab
    let waiting: Promise<unknown[]> | undefined
    await app.db.$transaction(async (tx) => {
      await tx.user.update({ where: { id: userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
      waiting = change(owner)
      await waitForLocks(app)
    })
    expect(await waiting).toEqual(locked)
    expect(await app.db.user.findUniqueOrThrow({ where: { id: userId } })).toMatchObject({ phraseSealed: null })
    expect(await app.db.verification.count({ where: { userId, purpose: 'change-email' } })).toBe(0)
  },
)
