import { adminOf } from '@floorpass/testing/admin-command'
import { addAddress, setAllowList, wallet } from '@floorpass/testing/allow-list'
import { createApiKey } from '@floorpass/testing/api-keys'
import { outcome } from '@floorpass/testing/browser'
import { checkAddress } from '@floorpass/testing/check-address'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const coolingOff = 24 * 3600
const check = async ({ userId }: Pick<SignedIn, 'userId'>, fields: Record<string, unknown> = {}) =>
  (await checkAddress(app, { userId, ...fields })).body
const usableFrom = expect.stringMatching(/Z$/)
const entryOf = async (tab: SignedIn) => app.db.allowListEntry.findFirst({ where: { userId: tab.userId } })

describe('a check', () => {
  test('allows every address while the list is off', async () => {
    const tab = await app.signedIn()
    expect(await check(tab)).toEqual({ allowed: true, enabled: false, usableFrom: null })
    await addAddress(tab)
    expect(await check(tab)).toEqual({ allowed: true, enabled: false, usableFrom })
  })

  test('allows an address once its cooling-off has ended, to the second', async () => {
    const clock = holdClock(new Date('2026-11-26T12:41:00.000Z'))
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    const answer = { enabled: true, usableFrom: '2026-11-27T12:41:00.000Z' }
    expect(await check(tab)).toEqual({ allowed: false, ...answer })
    clock.advance(coolingOff - 1)
    expect(await check(tab)).toEqual({ allowed: false, ...answer })
    clock.advance(1)
    expect(await check(tab)).toEqual({ allowed: true, ...answer })
    expect((await tab.get('/auth/allow-list/list')).body).toMatchObject({ entries: [{ usable: true }] })
    clock.advance(1)
    expect(await check(tab)).toEqual({ allowed: true, ...answer })
  })

  test('allows no address before its time when the clock is set back', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    clock.advance(coolingOff)
    expect(await check(tab)).toMatchObject({ allowed: true })
    clock.advance(-3600)
    expect(await check(tab)).toMatchObject({ allowed: false })
  })

  test('an address that was added while the list was off waits too', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await addAddress(tab)
    await setAllowList(tab, true)
    clock.advance(coolingOff - 1)
    expect(await check(tab)).toMatchObject({ allowed: false })
    clock.advance(1)
    expect(await check(tab)).toMatchObject({ allowed: true })
  })

  test('an address that was removed and added again waits again', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    clock.advance(coolingOff)
    expect(await check(tab)).toMatchObject({ allowed: true })
    await tab.post('/auth/allow-list/remove', { id: (await entryOf(tab))?.id })
    expect(await check(tab)).toEqual({ allowed: false, enabled: true, usableFrom: null })
    await tab.post('/auth/reauthenticate', { password: tab.person.password })
    await addAddress(tab)
    expect(await check(tab)).toMatchObject({ allowed: false })
    clock.advance(coolingOff)
    expect(await check(tab)).toMatchObject({ allowed: true })
  })

  test.each<[string, Record<string, unknown>]>([
    ['another address', { value: 'bc1qother' }],
    ['another case', { value: wallet.value.toUpperCase() }],
    ['a longer address', { value: `${wallet.value}0` }],
    ['the beginning of the address', { value: wallet.value.slice(0, -1) }],
    ['a pattern', { value: `${wallet.value.slice(0, -1)}_` }],
    ['another kind', { kind: 'litecoin' }],
  ])('refuses %s', async (_, fields) => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    clock.advance(coolingOff)
    expect(await check(tab, fields)).toEqual({ allowed: false, enabled: true, usableFrom: null })
    expect(await check(tab, { value: ` ${wallet.value} ` })).toMatchObject({ allowed: true })
  })

  test('ignores the addresses and the list of other users', async () => {
    const clock = holdClock()
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    await setAllowList(tab, true)
    await addAddress(other)
    clock.advance(coolingOff)
    expect(await check(tab)).toEqual({ allowed: false, enabled: true, usableFrom: null })
    expect(await check(other)).toMatchObject({ allowed: true, enabled: false })
  })

  test('answers the same while the account is locked or held', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    clock.advance(coolingOff)
    const before = await check(tab)
    const until = new Date(Date.now() + 1e7)
    await app.db.user.update({
      where: { id: tab.userId },
      data: { heldUntil: until, lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 },
    })
    expect(await check(tab)).toEqual(before)
  })

  test('refuses an unknown user, and a field that it does not know', async () => {
    const tab = await app.signedIn()
    expect(outcome(await checkAddress(app, { userId: 'unknown' }))).toEqual([400, 'USER_NOT_FOUND'])
    expect(outcome(await checkAddress(app, { userId: tab.userId, amount: 5 }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await checkAddress(app, { userId: tab.userId, kind: 'Bitcoin' }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('needs a service with the scope for it', async () => {
    const tab = await app.signedIn()
    const { userId } = tab
    const callWith = (headers: Record<string, string>, caller = app.browser({ origin: null })) =>
      caller.post('/auth/allow-list/check', { ...wallet, userId }, { headers })
    const secretOf = async (name: string, scopes: string) =>
      (await adminOf(app)('create-service', name, '--scopes', scopes, '--quiet')).stdout.trim()
    const rest = await secretOf('gateway', 'session:verify,key:verify,confirmation:create,events:read')
    const own = await secretOf('withdrawals', 'allow-list:check')
    expect(outcome(await callWith({ authorization: `Bearer ${own}` }))).toEqual([200, undefined])
    expect(outcome(await callWith({ authorization: `Bearer ${rest}` }))).toEqual([403, 'INSUFFICIENT_SCOPE'])
    for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
      expect(outcome(await callWith(headers))).toEqual([401, 'UNAUTHORIZED'])
      expect(outcome(await callWith(headers, tab))).toEqual([401, 'UNAUTHORIZED'])
    }
    expect((await tab.get('/trpc/checkAllowListEntry')).status).toBe(404)
  })
})

describe('an API key or an access token', () => {
  test.each<[string, (tab: SignedIn) => Promise<Record<string, string>>]>([
    ['an API key', async (tab) => ({ authorization: `Bearer ${(await createApiKey(tab)).key}` })],
    ['an API key in x-api-key', async (tab) => ({ 'x-api-key': (await createApiKey(tab)).key })],
    [
      'an access token',
      async (tab) => ({ authorization: `Bearer ${((await tab.get('/auth/token')).body as { token: string }).token}` }),
    ],
    ['the secret of a service', async () => ({ authorization: `Bearer ${serviceKey}` })],
  ])('%s reads and changes no list', async (_, credentials) => {
    const tab = await app.signedIn()
    await setAllowList(tab, true)
    await addAddress(tab)
    const id = (await entryOf(tab))?.id
    const headers = await credentials(tab)
    const caller = app.browser({ origin: null })
    for (const [path, body] of [
      ['add', { ...wallet, value: 'another' }],
      ['remove', { id }],
      ['set-enabled', { enabled: false }],
      ['set-enabled', { enabled: true }],
    ] as const)
      expect([path, ...outcome(await caller.post(`/auth/allow-list/${path}`, body, { headers }))]).toEqual([
        path,
        401,
        'UNAUTHORIZED',
      ])
    expect(outcome(await caller.get('/auth/allow-list/list', { headers }))).toEqual([401, 'UNAUTHORIZED'])
    expect((await tab.get('/auth/allow-list/list')).body).toMatchObject({ enabled: true, endsAt: null, entries: [{ id }] })
  })
})
