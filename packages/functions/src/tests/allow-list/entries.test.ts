import { policy } from '@floorpass/api'
import { addAddress, addPasskeyOfAge, wallet } from '@floorpass/testing/allow-list'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { agePasskeys } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const day = 86_400
const entriesOf = (userId: string) => app.db.allowListEntry.findMany({ where: { userId }, orderBy: { id: 'asc' } })
const list = async (tab: { get: (path: string) => Promise<{ body: unknown }> }) => (await tab.get('/auth/allow-list/list')).body
const remove = (tab: { post: typeof visitor.post }, id: unknown) => tab.post('/auth/allow-list/remove', { id })
const visitor = app.browser()
/** Makes the caller's sign-in too old for a sensitive act. */
const age = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 3_600_000), authenticatedAt: null } })
const lock = (userId: string) =>
  app.db.user.update({ where: { id: userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
const mailsTo = async (email: string) => {
  await app.drainMail()
  return app.outbox.to(email).map(({ subject, text }) => ({ subject, text }))
}

describe('adding an address', () => {
  test('answers when the address becomes usable, records the change and mails the owner', async () => {
    const clock = holdClock(new Date('2026-11-26T12:41:00.000Z'))
    const tab = await app.signedIn()
    const answer = await addAddress(tab, { label: 'Cold wallet' })
    const entry = {
      id: expect.any(String),
      ...wallet,
      label: 'Cold wallet',
      createdAt: '2026-11-26T12:41:00.000Z',
      usableFrom: '2026-11-27T12:41:00.000Z',
      usable: false,
    }
    expect([answer.status, answer.body]).toEqual([200, entry])
    expect(await list(tab)).toEqual({ enabled: false, endsAt: null, coolingOffHours: 24, entries: [entry] })
    expect(
      await app.db.auditEvent.findFirstOrThrow({ where: { userId: tab.userId, action: 'add-allow-list-entry' } }),
    ).toMatchObject({
      details: { ...wallet, label: 'Cold wallet' },
    })
    clock.advance(0)
    const mail = (await mailsTo(tab.person.email)).at(-1)
    expect(mail?.subject).toContain('A withdrawal address was added')
    for (const part of ['Cold wallet', 'bitcoin', 'bc1qar0s…zzwf5mdq', '27 November 2026', '12:41 UTC'])
      expect(mail?.text).toContain(part)
    expect(mail?.text).not.toContain(wallet.value)
  })

  test('mails a French owner in French', async () => {
    holdClock(new Date('2026-11-26T12:41:00.000Z'))
    const tab = await app.signedIn()
    await app.db.user.update({ where: { id: tab.userId }, data: { locale: 'fr' } })
    await addAddress(tab)
    const mail = (await mailsTo(tab.person.email)).at(-1)
    expect(mail?.text).toContain('27 novembre 2026 à 12:41 UTC')
  })

  test('keeps a name and an address from turning into a link in the mail', async () => {
    const tab = await app.signedIn()
    await addAddress(tab, { value: 'https://evil.com', label: 'call evil.com' })
    const mail = (await mailsTo(tab.person.email)).at(-1)
    expect(mail?.text).not.toContain('evil.com')
  })

  test.each<[string, Record<string, unknown>, boolean]>([
    ['a kind of one character', { kind: 'x' }, true],
    ['a kind of 32 characters', { kind: 'x'.repeat(32) }, true],
    ['a kind of 33 characters', { kind: 'x'.repeat(33) }, false],
    ['an empty kind', { kind: '' }, false],
    ['a kind in capitals', { kind: 'Bitcoin' }, false],
    ['a kind with a space', { kind: 'bit coin' }, false],
    ['a kind that ends with a new line', { kind: 'bitcoin\n' }, false],
    ['an address of one character', { value: 'x' }, true],
    ['an address of 256 characters', { value: 'x'.repeat(256) }, true],
    ['an address of 257 characters', { value: 'x'.repeat(257) }, false],
    ['an empty address', { value: '' }, false],
    ['an address of spaces', { value: '  \u00a0\t' }, false],
    ['an address with plain spaces', { value: 'DE89 3704 0044 0532 0130 00' }, true],
    ['an address in another script', { value: 'кошелёк' }, true],
    ['an address with a hard space', { value: 'DE89\u00a03704' }, false],
    ['an address with a new line', { value: 'a\nb' }, false],
    ['an address with a joiner', { value: 'a\u200db' }, false],
    ['an address that turns the direction', { value: 'a\u202eb' }, false],
    ['an address with a filler', { value: 'a\u3164b' }, false],
    ['an address with an empty Braille cell', { value: 'a\u2800b' }, false],
    ['a name of 64 characters', { label: 'x'.repeat(64) }, true],
    ['a name of 65 characters', { label: 'x'.repeat(65) }, false],
    ['an invisible name', { label: '\u202e' }, false],
    ['a name of spaces', { label: '   ' }, true],
    ['no name', { label: undefined }, true],
    ['a number as address', { value: 17 }, false],
  ])('%s', async (_, fields, isValid) => {
    const tab = await app.signedIn()
    expect(outcome(await addAddress(tab, fields))).toEqual(isValid ? [200, undefined] : [400, 'VALIDATION_ERROR'])
    expect(await entriesOf(tab.userId)).toHaveLength(isValid ? 1 : 0)
  })

  test('trims the address and the name', async () => {
    const tab = await app.signedIn()
    expect((await addAddress(tab, { value: ` ${wallet.value}\t`, label: '  Cold ' })).body).toMatchObject({
      ...wallet,
      label: 'Cold',
    })
  })

  test('refuses the same address again, and does not restart its cooling-off', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await addAddress(tab, { label: 'First' })
    const before = await entriesOf(tab.userId)
    clock.advance(60)
    for (const fields of [{}, { label: 'Second' }, { value: ` ${wallet.value}` }])
      expect(outcome(await addAddress(tab, fields))).toEqual([400, 'ALLOW_LIST_ENTRY_EXISTS'])
    expect(await entriesOf(tab.userId)).toEqual(before)
  })

  test('treats addresses that differ in case, kind or owner as different', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    for (const fields of [{}, { value: wallet.value.toUpperCase() }, { kind: 'bitcoin-testnet' }])
      expect((await addAddress(tab, fields)).status).toBe(200)
    expect((await addAddress(other)).status).toBe(200)
    expect(await entriesOf(tab.userId)).toHaveLength(3)
  })

  test('adds one address once when twenty requests come at once', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all(Array.from({ length: 20 }, () => addAddress(tab)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'ALLOW_LIST_ENTRY_EXISTS')).toHaveLength(19)
  })

  test('stops at the limit of a user, also when many requests come at once', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const value = (n: number) => ({ value: `wallet-${n}` })
    const now = new Date()
    const row = (userId: string, n: number) => ({ userId, kind: 'bitcoin', ...value(n), createdAt: now, usableFrom: now })
    const most = policy.allowList.perUser
    await app.db.allowListEntry.createMany({ data: Array.from({ length: most }, (_, n) => row(other.userId, n)) })
    await app.db.allowListEntry.createMany({ data: Array.from({ length: most - 2 }, (_, n) => row(tab.userId, n)) })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => addAddress(tab, value(most + n))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ code, status }) => status === 403 && code === 'ALLOW_LIST_LIMIT_REACHED')).toHaveLength(8)
    expect(await entriesOf(tab.userId)).toHaveLength(most)
    await remove(tab, (await entriesOf(tab.userId))[0]?.id)
    expect((await addAddress(tab)).status).toBe(200)
  })

  test('needs a recent sign-in', async () => {
    const tab = await app.signedIn()
    await age(tab.userId)
    expect(outcome(await addAddress(tab))).toEqual([403, 'SESSION_NOT_FRESH'])
    expect(await entriesOf(tab.userId)).toEqual([])
  })

  test('is refused while the account is locked', async () => {
    const tab = await app.signedIn()
    await lock(tab.userId)
    expect(outcome(await addAddress(tab))).toEqual([423, 'ACCOUNT_LOCKED'])
    expect(await entriesOf(tab.userId)).toEqual([])
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'is refused when the account is locked while the request waits for its row',
    async () => {
      const tab = await app.signedIn()
      let waiting: ReturnType<typeof addAddress> | undefined
      await app.db.$transaction(async (tx) => {
        await tx.$queryRaw`UPDATE users SET lock_kind = 'owner', locked_at = ${new Date()}, unlock_days = 7 WHERE id = ${tab.userId}`
        waiting = addAddress(tab)
        await waitForLocks(app)
      })
      expect(outcome((await waiting) as Awaited<ReturnType<typeof addAddress>>)).toEqual([423, 'ACCOUNT_LOCKED'])
      expect(await entriesOf(tab.userId)).toEqual([])
    },
  )

  test('works while withdrawals are on hold', async () => {
    const tab = await app.signedIn()
    const authenticator = await addPasskeyOfAge(app, tab, day)
    await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: new Date(Date.now() + 1e6) } })
    expect((await addAddress(tab, { passkey: await createAssertion(tab, authenticator) })).status).toBe(200)
  })
})

describe('an account with a passkey', () => {
  test('adds an address only with the passkey, one address for each assertion', async () => {
    const tab = await app.signedIn()
    const authenticator = await addPasskeyOfAge(app, tab, day)
    expect(outcome(await addAddress(tab))).toEqual([403, 'PASSKEY_REQUIRED'])
    expect(await entriesOf(tab.userId)).toEqual([])
    const passkey = await createAssertion(tab, authenticator)
    expect((await addAddress(tab, { passkey })).status).toBe(200)
    expect(outcome(await addAddress(tab, { value: 'another', passkey }))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
    expect(await entriesOf(tab.userId)).toHaveLength(1)
  })

  test('adds no address with a passkey that is less than a day old', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    clock.advance(day - 1)
    const reauthenticate = () => tab.post('/auth/reauthenticate', { password: tab.person.password })
    await reauthenticate()
    const passkey = await createAssertion(tab, authenticator)
    expect(outcome(await addAddress(tab, { passkey }))).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect(outcome(await addAddress(tab, { passkey }))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
    expect(await entriesOf(tab.userId)).toEqual([])
    clock.advance(1)
    expect((await addAddress(tab, { passkey: await createAssertion(tab, authenticator) })).status).toBe(200)
  })

  test.each<[string, Parameters<typeof createAssertion>[2], number, string]>([
    ['did not verify its person', { userVerified: false }, 403, 'USER_VERIFICATION_REQUIRED'],
    ['signed for another site', { origin: 'https://evil.test' }, 401, 'AUTHENTICATION_FAILED'],
    ['was copied', { counter: 0 }, 401, 'AUTHENTICATION_FAILED'],
  ])('adds no address with a passkey that %s', async (_, deviation, status, code) => {
    const tab = await app.signedIn()
    const authenticator = await addPasskeyOfAge(app, tab, day)
    await app.db.passkey.updateMany({
      where: { userId: tab.userId },
      data: { counter: code === 'AUTHENTICATION_FAILED' ? 5 : 0 },
    })
    const passkey = await createAssertion(tab, authenticator, deviation)
    expect(outcome(await addAddress(tab, { passkey }))).toEqual([status, code])
    expect(await entriesOf(tab.userId)).toEqual([])
  })

  test("adds no address with another user's passkey", async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    await addPasskeyOfAge(app, tab, day)
    const foreign = await addPasskeyOfAge(app, other, day)
    const { body } = await tab.get('/auth/passkey/generate-authenticate-options?discoverable=true')
    const ids = foreign.credentials.map(({ id }) => ({ id }))
    const passkey = foreign.authenticate({ ...(body as { challenge: string }), allowCredentials: ids })
    expect(outcome(await addAddress(tab, { passkey }))).toEqual([404, 'PASSKEY_NOT_FOUND'])
    expect(await entriesOf(tab.userId)).toEqual([])
  })

  test('keeps the assertion when the address was on the list already', async () => {
    const tab = await app.signedIn()
    const authenticator = await addPasskeyOfAge(app, tab, day)
    await addAddress(tab, { passkey: await createAssertion(tab, authenticator) })
    const passkey = await createAssertion(tab, authenticator)
    expect(outcome(await addAddress(tab, { passkey }))).toEqual([400, 'ALLOW_LIST_ENTRY_EXISTS'])
    expect((await addAddress(tab, { value: 'another', passkey })).status).toBe(200)
  })

  test('needs no passkey where passkeys are off', async () => {
    const plain = await createTestApp({ BASE_URL: 'http://127.0.0.1:3000' })
    expect(plain.service.deps.settings.passkeys).toBeNull()
    const tab = await plain.signedIn()
    await plain.db.passkey.create({
      data: {
        userId: tab.userId,
        name: 'Phone',
        credentialId: `of ${tab.userId}`,
        publicKey: new Uint8Array(1),
        isSyncable: false,
        backedUp: false,
        aaguid: '',
      },
    })
    expect((await addAddress(tab)).status).toBe(200)
  })
})

describe('removing an address', () => {
  test('takes effect at once with any session, also while the account is locked', async () => {
    const tab = await app.signedIn()
    const [first, second] = [await addAddress(tab, { label: 'Cold wallet' }), await addAddress(tab, { value: 'another' })]
    await age(tab.userId)
    await lock(tab.userId)
    expect(await remove(tab, (first.body as { id: string }).id)).toMatchObject({ status: 200, body: { status: true } })
    expect((await entriesOf(tab.userId)).map(({ id }) => id)).toEqual([(second.body as { id: string }).id])
    expect(
      await app.db.auditEvent.findFirstOrThrow({ where: { userId: tab.userId, action: 'remove-allow-list-entry' } }),
    ).toMatchObject({ details: { ...wallet, label: 'Cold wallet' } })
    const mail = (await mailsTo(tab.person.email)).at(-1)
    expect(mail?.subject).toContain('A withdrawal address was removed')
    expect(mail?.text).toContain('Cold wallet')
  })

  test('answers the same for an unknown address and for one of another user', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const { id } = (await addAddress(owner)).body as { id: string }
    const answers = [
      await remove(other, id),
      await remove(other, 'unknown'),
      await remove(other, '00000000-0000-7000-8000-000000000000'),
    ]
    for (const answer of answers) expect(outcome(answer)).toEqual([404, 'ALLOW_LIST_ENTRY_NOT_FOUND'])
    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill(answers[0]?.body))
    expect(await entriesOf(owner.userId)).toHaveLength(1)
    expect(await list(other)).toMatchObject({ entries: [] })
    expect(await app.db.auditEvent.count({ where: { userId: other.userId, action: 'remove-allow-list-entry' } })).toBe(0)
  })

  test('removes once, and mails once, when ten requests come at once', async () => {
    const tab = await app.signedIn()
    const { id } = (await addAddress(tab)).body as { id: string }
    const before = (await mailsTo(tab.person.email)).length
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(tab, id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'ALLOW_LIST_ENTRY_NOT_FOUND')).toHaveLength(9)
    expect(await mailsTo(tab.person.email)).toHaveLength(before + 1)
  })
})

test('a thief who removes the passkey of the owner can add no address until the hold ends', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  await tab.post('/auth/allow-list/set-enabled', { enabled: true })
  const { body } = await addPasskey(tab, createSoftwareAuthenticator())
  await tab.post('/auth/passkey/delete-passkey', { id: (body as { id: string }).id })
  expect(outcome(await addAddress(tab))).toEqual([403, 'ACCOUNT_HELD'])
  const again = async () => {
    await tab.post('/auth/sign-in/email', tab.person)
    return outcome(await addAddress(tab))
  }
  clock.advance(3 * day - 1)
  expect(await again()).toEqual([403, 'ACCOUNT_HELD'])
  expect(outcome(await tab.post('/auth/allow-list/set-enabled', { enabled: false }))).toEqual([403, 'ACCOUNT_HELD'])
  clock.advance(1)
  expect(await again()).toEqual([200, undefined])
})

test('a thief who adds a passkey and then removes that of the owner can add no address while the hold lasts', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  const [own, stolen] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()]
  const { body } = await addPasskey(tab, own)
  await agePasskeys(app, tab.userId)
  await addPasskey(tab, stolen)
  await tab.post('/auth/passkey/delete-passkey', { id: (body as { id: string }).id })
  const add = async () => {
    await tab.post('/auth/sign-in/email', tab.person)
    return outcome(await addAddress(tab, { passkey: await createAssertion(tab, stolen) }))
  }
  clock.advance(day + 1)
  expect(await add()).toEqual([403, 'PASSKEY_TOO_NEW'])
  clock.advance(2 * day)
  expect(await add()).toEqual([200, undefined])
})

test('the list is deleted with its owner', async () => {
  const [tab, other] = [await app.signedIn(), await app.signedIn()]
  for (const user of [tab, other]) {
    await addAddress(user)
    await user.post('/auth/allow-list/set-enabled', { enabled: true })
  }
  await app.db.user.delete({ where: { id: tab.userId } })
  const where = { userId: { in: [tab.userId, other.userId] } }
  expect([await app.db.allowList.findMany({ where }), await app.db.allowListEntry.findMany({ where })]).toEqual([
    [expect.objectContaining({ userId: other.userId })],
    [expect.objectContaining({ userId: other.userId })],
  ])
})
