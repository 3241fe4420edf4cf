import { addAddress, addPasskeyOfAge, setAllowList } from '@floorpass/testing/allow-list'
import { outcome } from '@floorpass/testing/browser'
import { checkAddress } from '@floorpass/testing/check-address'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { createAssertion } from '@floorpass/testing/passkeys'
import { serviceKey } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey, ALLOW_LIST_HOURS: '2' })
const hours = 2
const rowOf = (userId: string) => app.db.allowList.findUnique({ where: { userId } })
const stateOf = async (tab: SignedIn) => {
  const { enabled, endsAt } = (await tab.get('/auth/allow-list/list')).body as { enabled: boolean; endsAt: string | null }
  return { enabled, endsAt }
}
const isChecked = async ({ userId }: SignedIn) => ((await checkAddress(app, { userId })).body as { enabled: boolean }).enabled
const age = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 3_600_000), authenticatedAt: null } })
const reauthenticate = (tab: SignedIn) => tab.post('/auth/reauthenticate', { password: tab.person.password })
const lock = (userId: string) =>
  app.db.user.update({ where: { id: userId }, data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 } })
const mailsTo = async ({ person }: SignedIn) => {
  await app.drainMail()
  return app.outbox.to(person.email)
}
const actsOf = async ({ userId }: SignedIn) =>
  (await app.db.auditEvent.findMany({ where: { userId, action: { endsWith: 'able-allow-list' } }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  )
const off = { enabled: false, endsAt: null }
const on = { enabled: true, endsAt: null }

describe('switching the list on', () => {
  test('takes effect at once with any session, also while the account is locked', async () => {
    const tab = await app.signedIn()
    expect([await stateOf(tab), await isChecked(tab)]).toEqual([off, false])
    await age(tab.userId)
    await lock(tab.userId)
    expect((await setAllowList(tab, true)).body).toEqual(on)
    expect([await stateOf(tab), await isChecked(tab)]).toEqual([on, true])
    expect((await mailsTo(tab)).at(-1)?.subject).toContain('go to your addresses only')
    expect(await actsOf(tab)).toEqual(['enable-allow-list'])
  })

  test('changes and mails nothing while the list is on', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    const before = [await rowOf(tab.userId), (await mailsTo(tab)).length]
    clock.advance(60)
    expect((await setAllowList(tab, true)).body).toEqual(on)
    expect([await rowOf(tab.userId), (await mailsTo(tab)).length]).toEqual(before)
    expect(await actsOf(tab)).toEqual(['enable-allow-list'])
  })

  test('happens once when ten requests come at once', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all(Array.from({ length: 10 }, () => setAllowList(tab, true)))
    expect(answers.map(({ body }) => body)).toEqual(Array(10).fill(on))
    expect(await actsOf(tab)).toEqual(['enable-allow-list'])
  })

  test('needs no passkey', async () => {
    const tab = await app.signedIn()
    await addPasskeyOfAge(app, tab, 0)
    expect((await setAllowList(tab, true)).status).toBe(200)
  })

  test('cancels a pending switch-off, also while the account is locked', async () => {
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    const { enabledAt } = (await rowOf(tab.userId)) ?? {}
    await setAllowList(tab, false)
    await lock(tab.userId)
    expect((await setAllowList(tab, true)).body).toEqual(on)
    expect(await rowOf(tab.userId)).toEqual({ userId: tab.userId, enabledAt, endsAt: null })
    expect(await actsOf(tab)).toEqual(['enable-allow-list', 'disable-allow-list', 'enable-allow-list'])
  })
})

describe('switching the list off', () => {
  test('waits for the cooling-off, to the second, and mails when it ends', async () => {
    const clock = holdClock(new Date('2026-11-26T12:41:00.000Z'))
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    const pending = { enabled: true, endsAt: '2026-11-26T14:41:00.000Z' }
    expect((await setAllowList(tab, false)).body).toEqual(pending)
    const mail = (await mailsTo(tab)).at(-1)
    expect(mail?.subject).toContain('will be turned off')
    expect(mail?.text).toContain('26 November 2026 at 14:41 UTC')
    clock.advance(hours * 3600 - 1)
    expect([await stateOf(tab), await isChecked(tab)]).toEqual([pending, true])
    clock.advance(1)
    expect([await stateOf(tab), await isChecked(tab)]).toEqual([off, false])
    clock.advance(1)
    expect([await stateOf(tab), await isChecked(tab)]).toEqual([off, false])
  })

  test('waits again when the clock is set back', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await setAllowList(tab, false)
    clock.advance(hours * 3600)
    expect(await isChecked(tab)).toBe(false)
    clock.advance(-60)
    expect([(await stateOf(tab)).enabled, await isChecked(tab)]).toEqual([true, true])
  })

  test('does not restart, end sooner or mail again when it is repeated', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    const { body } = await setAllowList(tab, false)
    const mails = (await mailsTo(tab)).length
    clock.advance(600)
    expect((await setAllowList(tab, false)).body).toEqual(body)
    expect([await stateOf(tab), (await mailsTo(tab)).length]).toEqual([body, mails])
    expect(await actsOf(tab)).toEqual(['enable-allow-list', 'disable-allow-list'])
  })

  test('waits for the whole cooling-off after it was canceled', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await setAllowList(tab, false)
    clock.advance(600)
    await setAllowList(tab, true)
    const now = Date.now()
    expect((await setAllowList(tab, false)).body).toEqual({
      enabled: true,
      endsAt: new Date(now + hours * 3_600_000).toISOString(),
    })
  })

  test('and on again later starts a new list', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await setAllowList(tab, false)
    clock.advance(hours * 3600)
    expect((await setAllowList(tab, true)).body).toEqual(on)
    expect(await rowOf(tab.userId)).toMatchObject({ enabledAt: new Date(), endsAt: null })
  })

  test('changes nothing while the list is off', async () => {
    const tab = await app.signedIn()
    expect((await setAllowList(tab, false)).body).toEqual(off)
    expect([await rowOf(tab.userId), await actsOf(tab)]).toEqual([null, []])
  })

  test('needs a recent sign-in', async () => {
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await age(tab.userId)
    expect(outcome(await setAllowList(tab, false))).toEqual([403, 'SESSION_NOT_FRESH'])
    expect(await stateOf(tab)).toEqual(on)
    await reauthenticate(tab)
    expect((await setAllowList(tab, false)).status).toBe(200)
  })

  test('is refused while the account is locked', async () => {
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await lock(tab.userId)
    expect(outcome(await setAllowList(tab, false))).toEqual([423, 'ACCOUNT_LOCKED'])
    expect(await stateOf(tab)).toEqual(on)
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'is refused when the account is locked while the request waits for its row',
    async () => {
      const tab = await app.signedIn()
      await setAllowList(tab, true)
      const waiting: ReturnType<typeof setAllowList>[] = []
      await app.db.$transaction(async (tx) => {
        await tx.$queryRaw`UPDATE users SET lock_kind = 'owner', locked_at = ${new Date()}, unlock_days = 7 WHERE id = ${tab.userId}`
        waiting.push(setAllowList(tab, false))
        await waitForLocks(app)
      })
      expect((await Promise.all(waiting)).map(outcome)).toEqual([[423, 'ACCOUNT_LOCKED']])
      expect(await stateOf(tab)).toEqual(on)
    },
  )

  test('needs a passkey that is a day old where the account has one', async () => {
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    const authenticator = await addPasskeyOfAge(app, tab, 86_400 - 60)
    expect(outcome(await setAllowList(tab, false))).toEqual([403, 'PASSKEY_REQUIRED'])
    const tooNew = await createAssertion(tab, authenticator)
    expect(outcome(await setAllowList(tab, false, { passkey: tooNew }))).toEqual([403, 'PASSKEY_TOO_NEW'])
    await app.db.passkey.updateMany({ where: { userId: tab.userId }, data: { createdAt: new Date(Date.now() - 86_400_000) } })
    const unverified = await createAssertion(tab, authenticator, { userVerified: false })
    expect((await setAllowList(tab, false, { passkey: unverified })).code).toBe('USER_VERIFICATION_REQUIRED')
    expect(await stateOf(tab)).toEqual(on)
    expect((await setAllowList(tab, false, { passkey: await createAssertion(tab, authenticator) })).status).toBe(200)
  })
})

test("one user's switch changes no other user's list", async () => {
  const [tab, other] = [await app.signedIn(), await app.signedIn()]
  await setAllowList(other, true)
  await addAddress(other)
  expect([await stateOf(tab), await isChecked(tab)]).toEqual([off, false])
  await setAllowList(tab, true)
  await setAllowList(tab, false)
  expect([await stateOf(other), await isChecked(other)]).toEqual([on, true])
})
