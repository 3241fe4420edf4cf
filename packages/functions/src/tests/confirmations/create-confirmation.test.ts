import { limits, policy } from '@floorpass/api'
import { adminOf } from '@floorpass/testing/admin-command'
import { holdClock } from '@floorpass/testing/clock'
import {
  asService,
  at,
  type CreatedConfirmation,
  confirmationAudience,
  confirmationEnvironment,
  createConfirmation,
  readConfirmation,
  signInConfirmer,
  withdrawal,
} from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp(confirmationEnvironment)
const tab = await app.signedIn()
const service = app.browser({ origin: null })
const base = { authorization_details: [withdrawal], audience: confirmationAudience }
const create = (fields: object) => tab.post(at('create'), { ...base, ...fields })
const createAsService = (fields: object, headers = asService.headers) =>
  service.post(at('create'), { ...base, ...fields }, { headers })

describe('the details of a transaction', () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  const withMember = (member: unknown) => ({ authorization_details: [{ type: 'order', member }] })
  const sized = (bytes: number) => {
    const empty = JSON.stringify([{ type: 'order', member: '' }]).length
    return withMember('x'.repeat(bytes - empty))
  }

  test.each<[string, object]>([
    ['the largest whole number', withMember(Number.MAX_SAFE_INTEGER)],
    ['five levels', { authorization_details: [{ type: 'order', ...nested(5) }] }],
    ['4 KiB', sized(policy.confirmations.size)],
    ['ten objects', { authorization_details: Array(policy.confirmations.details).fill({ type: 'order' }) }],
    ['the type of a later object', { authorization_details: [{ type: 'order' }, withdrawal], type: 'withdrawal' }],
    ['a life of a second', { ttl: 1 }],
    ['a life of five minutes', { ttl: policy.confirmations.longestLifetime }],
  ])('may have %s', async (_, fields) => {
    expect(await create(fields)).toMatchObject({ status: 200 })
  })

  const amounts = 'write amounts as strings'
  test.each<[string, object | string, string]>([
    ['a number with decimals', withMember(0.1), amounts],
    ['a number above 2^53 - 1', withMember(Number.MAX_SAFE_INTEGER + 1), amounts],
    ['a number that is no double', `{"authorization_details":[{"type":"order","x":1e400}],"audience":"x"}`, amounts],
    ['six levels', { authorization_details: [{ type: 'order', ...nested(6) }] }, 'Nested deeper than 5 levels'],
    ['4 KiB and a byte', sized(policy.confirmations.size + 1), 'Larger than 4 KiB'],
    ['4 KiB in two bytes a letter', withMember('é'.repeat(policy.confirmations.size / 2)), 'Larger than 4 KiB'],
    ['eleven objects', { authorization_details: Array(policy.confirmations.details + 1).fill({ type: 'order' }) }, ''],
    ['no object', { authorization_details: [] }, ''],
    ['text', { authorization_details: ['order'] }, ''],
    ['an object', { authorization_details: { type: 'order' } }, ''],
    ['no type', { authorization_details: [{ amount: '1' }] }, ''],
    ['a number as type', { authorization_details: [{ type: 1 }] }, ''],
    ['a type with a space', { authorization_details: [{ type: 'a b' }] }, 'visible ASCII'],
    ['a NUL character', withMember('a\u0000b'), 'NUL'],
    ['half a surrogate pair', withMember('\ud800'), 'surrogate'],
    ['half a surrogate pair as a name', withMember({ '\udc00': 1 }), 'surrogate'],
    [
      'a member named __proto__',
      `{"authorization_details":[{"type":"order","__proto__":{"amount":"1"}}],"audience":"x"}`,
      '__proto__',
    ],
    [
      'a nested member named __proto__',
      `{"authorization_details":[{"type":"order","x":{"__proto__":1}}],"audience":"x"}`,
      '__proto__',
    ],
    ['a type that no object has', { type: 'order' }, 'No authorization detail has this type'],
    ['a life of no time', { ttl: 0 }, ''],
    ['a life of 301 seconds', { ttl: policy.confirmations.longestLifetime + 1 }, ''],
    ['a life of half a second', { ttl: 0.5 }, ''],
  ])('may not have %s', async (_, fields, message) => {
    const answer =
      typeof fields === 'string'
        ? await tab.post(at('create'), fields, { headers: { 'content-type': 'application/json' } })
        : await create(fields)
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((answer.body as { message: string }).message).toContain(message)
  })

  test('with a repeated member are shown as they are signed', async () => {
    const body = `{"authorization_details":[{"type":"order","amount":"1","amount":"1000"}],"audience":"${confirmationAudience}"}`
    const answer = await tab.post(at('create'), body, { headers: { 'content-type': 'application/json' } })
    const { id, display } = answer.body as CreatedConfirmation
    expect(display.map(({ value }) => value)).toEqual(['order', '1000'])
    const { canonical } = await app.db.confirmation.findUniqueOrThrow({ where: { id } })
    expect(canonical).toContain('"amount":"1000"')
    expect(canonical).not.toContain('"amount":"1"')
  })

  test('are all shown, in order, in the language of the user, with invisible characters written out', async () => {
    const details = [
      {
        amount: '5',
        type: 'withdrawal',
        Amount: '6',
        note: 'a\u202eb\u200b',
        'a b': [1, { c: true }],
        empty: {},
        nothing: null,
        list: [],
      },
      { type: 'order', payee: 'Ada', iban: 'DE89', network: 'btc', reference: 'r', address: 'bc1' },
    ]
    const read = async (locale: string) => {
      await tab.post('/auth/update-user', { locale })
      const answer = await tab.post(at('create'), { ...base, authorization_details: details })
      return (answer.body as CreatedConfirmation).display.map(({ label, value }) => `${label}=${value}`)
    }
    expect(await read('en')).toEqual([
      'Action=withdrawal',
      'Amount=5',
      '"Amount"=6',
      'Note=a\\u{202e}b\\u{200b}',
      '"a b".0=1',
      '"a b".1.c=true',
      'empty={}',
      'nothing=null',
      'list=[]',
      'Action=order',
      'Payee=Ada',
      'IBAN=DE89',
      'Network=btc',
      'Reference=r',
      'Address=bc1',
    ])
    expect((await read('fr')).slice(0, 4)).toEqual(['Opération=withdrawal', 'Montant=5', 'Amount=6', 'Note=a\\u{202e}b\\u{200b}'])
  })
})

describe('creating a confirmation', () => {
  test('is possible for a configured audience only', async () => {
    expect(await create({ audience: app.baseUrl })).toMatchObject({ status: 200 })
    expect(await create({ audience: 'https://evil.example.com' })).toMatchObject({ status: 403, code: 'INVALID_AUDIENCE' })
    const fields = { userId: tab.userId, sessionId: await handleOf(tab), audience: 'https://evil.example.com' }
    expect(await createAsService(fields)).toMatchObject({ status: 403, code: 'INVALID_AUDIENCE' })
  })

  test('is possible for the own session of a user only', async () => {
    for (const fields of [{ userId: tab.userId }, { sessionId: await handleOf(tab) }])
      expect(await create(fields)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await app.browser().post(at('create'), base)).toMatchObject({ status: 401 })
  })

  test('is possible for a service when the user that it names has this session', async () => {
    const [owner, other] = [await signInConfirmer(app), await signInConfirmer(app)]
    const { userId, sessionId } = owner
    for (const fields of [{ userId }, { sessionId }, {}])
      expect(await createAsService(fields)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    const refused = { status: 400, code: 'CONFIRMATION_SESSION_NOT_FOUND' }
    expect(await createAsService({ userId, sessionId: 'unknown' })).toMatchObject(refused)
    expect(await createAsService({ userId: 'unknown', sessionId })).toMatchObject(refused)
    expect(await createAsService({ userId, sessionId: other.sessionId })).toMatchObject(refused)
    expect(await createAsService({ userId, sessionId })).toMatchObject({ status: 200 })
    await app.db.user.update({ where: { id: other.userId }, data: { suspendedAt: new Date() } })
    expect(await createAsService({ userId: other.userId, sessionId: other.sessionId })).toMatchObject(refused)
    await app.db.session.updateMany({ where: { userId }, data: { expiresAt: new Date() } })
    expect(await createAsService({ userId, sessionId })).toMatchObject(refused)
  })

  test('needs the scope for it, and consuming needs another one', async () => {
    const { userId, sessionId } = await signInConfirmer(app)
    const secretWith = async (scope: string) => {
      const { stdout } = await adminOf(app)('create-service', `s-${scope.replace(':', '-')}`, '--scopes', scope, '--quiet')
      return { authorization: `Bearer ${stdout.trim()}` }
    }
    const [creating, consuming] = [await secretWith('confirmation:create'), await secretWith('confirmation:consume')]
    const { body, status } = await createAsService({ userId, sessionId }, creating)
    expect(status).toBe(200)
    const { createdBy } = await app.db.confirmation.findUniqueOrThrow({ where: { id: (body as CreatedConfirmation).id } })
    expect(createdBy).toBe('s-confirmation-create')
    const refused = { status: 403, code: 'INSUFFICIENT_SCOPE' }
    expect(await createAsService({ userId, sessionId }, consuming)).toMatchObject(refused)
    const jti = (body as CreatedConfirmation).id
    expect(await service.post(at('consume'), { jti }, { headers: creating })).toMatchObject(refused)
    expect(await service.post(at('consume'), { jti }, { headers: consuming })).toMatchObject({
      code: 'CONFIRMATION_NOT_APPROVED',
    })
  })
})

describe('the limits of a user', () => {
  test('keep the newest twenty pending confirmations, and every answered one', async () => {
    const { tab: owner, userId } = await signInConfirmer(app)
    const rejected = await createConfirmation(owner)
    await owner.post(at('reject'), { id: rejected.id })
    const ids: string[] = []
    for (let count = 0; count <= policy.confirmations.perUser; count += 1) ids.push((await createConfirmation(owner)).id)
    const [oldest = '', second = ''] = ids
    expect(await owner.get(`${at('get')}?id=${oldest}`)).toMatchObject({ status: 404 })
    expect((await readConfirmation(owner, second)).status).toBe('pending')
    expect((await readConfirmation(owner, rejected.id)).status).toBe('rejected')
    expect(await app.db.confirmation.count({ where: { userId } })).toBe(policy.confirmations.perUser + 1)
  })

  test('allow thirty confirmations a minute, and sixty answers', async () => {
    const limited = await createTestApp({ ...confirmationEnvironment, RATE_LIMIT: 'on' })
    const owner = await limited.signedIn()
    for (let count = 0; count < limits['create-confirmation:user'].points; count += 1) await createConfirmation(owner)
    expect(await owner.post(at('create'), base)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    for (let count = 0; count < limits['answer-confirmation:ip'].points; count += 1)
      expect(await owner.post(at('reject'), { id: 'unknown' })).toMatchObject({ status: 404 })
    for (const action of ['approve', 'reject'])
      expect(await owner.post(at(action), { id: 'unknown' })).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  })

  test('do not count expired confirmations', async () => {
    const clock = holdClock()
    const { tab: owner, userId } = await signInConfirmer(app)
    await createConfirmation(owner, withdrawal, { ttl: 1 })
    clock.advance(2)
    for (let count = 0; count < policy.confirmations.perUser; count += 1) await createConfirmation(owner)
    expect(await app.db.confirmation.count({ where: { userId } })).toBe(policy.confirmations.perUser + 1)
  })
})
