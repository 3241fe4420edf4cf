import { createHash } from 'node:crypto'
import { policy } from '@floorpass/api'
import { createApiKey } from '@floorpass/testing/api-keys'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock, holdStep } from '@floorpass/testing/clock'
import {
  approve,
  at,
  type CreatedConfirmation,
  confirmationAudience,
  confirmationEnvironment,
  consume,
  createConfirmation,
  readConfirmation,
  signConfirmation,
  signInConfirmer,
  withdrawal,
} from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createAssertion, signInWithPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp(confirmationEnvironment)
const rowOf = (id: string) => app.db.confirmation.findUniqueOrThrow({ where: { id } })
const eventsOf = (userId: string, action: string) => app.db.auditEvent.findMany({ where: { userId, action } })
const protect = (userId: string, data: object) => app.db.user.update({ where: { id: userId }, data })
const inAnHour = () => new Date(Date.now() + 3_600_000)
const locked = () => ({ lockKind: 'owner', lockedAt: new Date(), unlockDays: 3 })
const small = { type: 'withdrawal', amount: '100.00', currency: 'EUR' }
const order = { type: 'order', side: 'buy' }
const ok = { status: 200 }

/** RFC 8785, for what this file signs. */
const toCanonical = (value: object): string =>
  JSON.stringify(value, (_, member) =>
    Array.isArray(member) || Object(member) !== member ? member : Object.fromEntries(Object.entries(member).sort()),
  )

async function pending(detail?: Record<string, unknown>, fields?: Record<string, unknown>) {
  const confirmer = await signInConfirmer(app)
  return { ...confirmer, created: await createConfirmation(confirmer.tab, detail, fields) }
}
type Pending = Awaited<ReturnType<typeof pending>>

/** The assertion is refused and recorded, and the confirmation stays pending. */
async function expectRefused({ tab, userId, created }: Pending, body: object, status: number, code: string) {
  expect(await tab.post(at('approve'), { id: created.id, ...body })).toMatchObject({ status, code })
  expect((await readConfirmation(tab, created.id)).status).toBe('pending')
  expect(await eventsOf(userId, 'refuse-confirmation')).toMatchObject([
    { succeeded: false, details: { confirmation: created.id, reason: code } },
  ])
  expect(await eventsOf(userId, 'approve-confirmation')).toEqual([])
}

describe('a passkey that signed something else', () => {
  const changes: [string, (transaction: Record<string, unknown>) => object][] = [
    ['another amount', () => ({ authorization_details: [{ ...withdrawal, amount: '2500.01' }] })],
    ['another currency', () => ({ authorization_details: [{ ...withdrawal, currency: 'USD' }] })],
    ['another payee', () => ({ authorization_details: [{ ...withdrawal, payee: { name: 'Eve' } }] })],
    ['another user', () => ({ sub: 'another' })],
    ['another session', () => ({ sid: 'another' })],
    ['another nonce', () => ({ nonce: 'another' })],
    ['another expiry', ({ exp }) => ({ exp: Number(exp) + 1 })],
  ]
  test.each(changes)('with %s is refused', async (_, change) => {
    const confirmer = await pending()
    const { created, authenticator } = confirmer
    const transaction = JSON.parse((await rowOf(created.id)).canonical)
    const altered = `floorpass-tx-v1\0${toCanonical({ ...transaction, ...change(transaction) })}`
    const challenge = createHash('sha256').update(altered).digest('base64url')
    const response = authenticator.authenticate({ ...created.options, challenge } as never)
    await expectRefused(confirmer, { response }, 401, 'AUTHENTICATION_FAILED')
    expect(await approve(confirmer, created)).toMatchObject(ok)
  })

  test('for another confirmation of the same transaction is refused', async () => {
    const confirmer = await pending()
    const other = await createConfirmation(confirmer.tab)
    const response = signConfirmation(other, confirmer.authenticator)
    await expectRefused(confirmer, { response }, 401, 'AUTHENTICATION_FAILED')
  })

  test('for a sign-in is refused, and an assertion for a confirmation signs no one in', async () => {
    const confirmer = await pending()
    const { tab, authenticator, created } = confirmer
    await expectRefused(confirmer, { response: await createAssertion(tab, authenticator) }, 401, 'AUTHENTICATION_FAILED')
    const response = signConfirmation(created, authenticator)
    const answer = await app.browser().post('/auth/passkey/verify-authentication', { response })
    expect(answer).toMatchObject({ status: 400, code: 'CHALLENGE_NOT_FOUND' })
  })

  const deviations: [string, Parameters<typeof approve>[2], number, string][] = [
    ['without verifying its user', { userVerified: false }, 403, 'USER_VERIFICATION_REQUIRED'],
    ['on another page', { origin: 'https://evil.example.com' }, 401, 'AUTHENTICATION_FAILED'],
    ['in a frame', { crossOrigin: true }, 401, 'AUTHENTICATION_FAILED'],
    ['for another relying party', { rpId: 'example.com' }, 401, 'AUTHENTICATION_FAILED'],
    ['for another purpose', { type: 'webauthn.create' }, 401, 'AUTHENTICATION_FAILED'],
    ['for another user handle', { userHandle: 'AAAA' }, 401, 'AUTHENTICATION_FAILED'],
  ]
  test.each(deviations)('%s is refused', async (_, deviation, status, code) => {
    const confirmer = await pending()
    const response = signConfirmation(confirmer.created, confirmer.authenticator, deviation)
    await expectRefused(confirmer, { response }, status, code)
  })

  test('with a signature counter that went back is refused, and mails the owner', async () => {
    const confirmer = await pending()
    await app.db.passkey.updateMany({ where: { userId: confirmer.userId }, data: { counter: 7 } })
    const response = signConfirmation(confirmer.created, confirmer.authenticator, { counter: 7 })
    await expectRefused(confirmer, { response }, 401, 'AUTHENTICATION_FAILED')
    expect(await eventsOf(confirmer.userId, 'refuse-passkey')).toHaveLength(1)
  })

  test('of another user is refused', async () => {
    const [confirmer, other] = [await pending(), await signInConfirmer(app)]
    const response = other.authenticator.authenticate({ ...confirmer.created.options, allowCredentials: undefined } as never)
    await expectRefused(confirmer, { response }, 404, 'PASSKEY_NOT_FOUND')
  })

  test('ten times rejects the confirmation', async () => {
    const confirmer = await pending()
    const { tab, created, authenticator, userId } = confirmer
    // Without a counter: the answers arrive in any order.
    const deviation = { userVerified: false, counter: 0 }
    const tries = Array.from({ length: policy.confirmations.attempts }, () => approve(confirmer, created, deviation))
    for (const answer of await Promise.all(tries)) expect(answer.code).toBe('USER_VERIFICATION_REQUIRED')
    const last = await tab.post(at('approve'), { id: created.id, response: signConfirmation(created, authenticator) })
    expect(last).toMatchObject({ status: 409, code: 'CONFIRMATION_NOT_PENDING' })
    expect((await readConfirmation(tab, created.id)).status).toBe('rejected')
    expect(await eventsOf(userId, 'refuse-confirmation')).toHaveLength(policy.confirmations.attempts)
  })

  test('nine times leaves the tenth answer to the right passkey', async () => {
    const confirmer = await pending()
    const { created } = confirmer
    await app.db.confirmation.update({ where: { id: created.id }, data: { failedAttempts: policy.confirmations.attempts - 2 } })
    expect(await approve(confirmer, created, { userVerified: false })).toMatchObject({ status: 403 })
    expect(await approve(confirmer, created)).toMatchObject(ok)
  })
})

describe('access to a confirmation', () => {
  test('is refused to another user and to another session of the same user', async () => {
    const { tab, created, authenticator } = await pending()
    const other = await app.signedIn()
    const second = app.browser()
    expect(await signInWithPasskey(second, authenticator)).toMatchObject(ok)
    const response = signConfirmation(created, authenticator)
    for (const caller of [other, second]) {
      const answers = [
        await caller.get(`${at('get')}?id=${created.id}`),
        await caller.post(at('approve'), { id: created.id, response }),
        await caller.post(at('reject'), { id: created.id }),
      ]
      for (const answer of answers) expect(answer).toMatchObject({ status: 404, code: 'CONFIRMATION_NOT_FOUND' })
    }
    expect((await readConfirmation(tab, created.id)).status).toBe('pending')
  })

  test('is refused to a session whose confirmation names another user', async () => {
    const { tab, created } = await pending()
    const { userId } = await app.signedIn()
    await app.db.confirmation.update({ where: { id: created.id }, data: { userId } })
    expect(await tab.get(`${at('get')}?id=${created.id}`)).toMatchObject({ status: 404, code: 'CONFIRMATION_NOT_FOUND' })
    expect(await tab.post(at('approve'), { id: created.id })).toMatchObject({ status: 404, code: 'CONFIRMATION_NOT_FOUND' })
  })

  test('is refused to an API key, an access token and the secret of a service', async () => {
    const { tab, created, authenticator } = await pending()
    const { key } = await createApiKey(tab)
    const { token } = (await tab.get('/auth/token')).body as { token: string }
    const response = signConfirmation(created, authenticator)
    const server = app.browser({ origin: null })
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${confirmationEnvironment.SERVICE_KEYS}` },
    ]) {
      const answers = [
        await server.get(`${at('get')}?id=${created.id}`, { headers }),
        await server.post(at('approve'), { id: created.id, response }, { headers }),
        await server.post(at('reject'), { id: created.id }, { headers }),
      ]
      for (const answer of answers) expect(answer).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    }
    for (const bearer of [key, token]) {
      const headers = { authorization: `Bearer ${bearer}` }
      const fields = { authorization_details: [withdrawal], audience: confirmationAudience }
      expect(await server.post(at('create'), fields, { headers })).toMatchObject({ status: 401 })
      expect(await server.post(at('consume'), { jti: created.id }, { headers })).toMatchObject({ status: 401 })
    }
    expect((await readConfirmation(tab, created.id)).status).toBe('pending')
  })

  test('two approvals at once are recorded once', async () => {
    const confirmer = await pending()
    const { tab, created, authenticator, userId } = confirmer
    const responses = [1, 2].map(() => signConfirmation(created, authenticator))
    const answers = await Promise.all(responses.map((response) => tab.post(at('approve'), { id: created.id, response })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await eventsOf(userId, 'approve-confirmation')).toHaveLength(1)
    const receipts = answers.filter(({ status }) => status === 200).map(({ body }) => (body as { receipt: string }).receipt)
    const read = await readConfirmation(tab, created.id)
    expect(receipts.map((receipt) => decodeJwt(receipt))).toEqual([decodeJwt(read.receipt ?? '')])
  })

  test('after a lost answer, get signs the same claims again', async () => {
    const confirmer = await pending()
    const { tab, created, userId } = confirmer
    const current = vi.spyOn(app.service.deps.signingKeys, 'current').mockRejectedValueOnce(new Error('killed'))
    onTestFinished(() => current.mockRestore())
    expect(await approve(confirmer, created)).toMatchObject({ status: 500 })
    const [first, second] = [await readConfirmation(tab, created.id), await readConfirmation(tab, created.id)]
    const claims = decodeJwt(first.receipt ?? '')
    expect(claims).toMatchObject({ jti: created.id, sub: userId, txn_hash: created.options?.challenge })
    expect(decodeJwt(second.receipt ?? '')).toEqual(claims)
    expect(await consume(app, created.id)).toMatchObject(ok)
  })
})

describe('a locked or held account', () => {
  test('can reject but not approve while it is locked', async () => {
    const confirmer = await pending()
    const { tab, userId, created } = confirmer
    expect((await readConfirmation(tab, created.id)).blockedBy).toBeNull()
    await protect(userId, locked())
    expect((await readConfirmation(tab, created.id)).blockedBy).toBe('lock')
    expect(await approve(confirmer, created)).toMatchObject({ status: 423, code: 'ACCOUNT_LOCKED' })
    expect(await tab.post(at('reject'), { id: created.id })).toMatchObject(ok)
    expect(await createConfirmation(tab)).toHaveProperty('id')
  })

  test('can approve an order but no withdrawal while it is held, to the second', async () => {
    const clock = holdClock()
    const confirmer = await pending()
    const { tab, userId, created } = confirmer
    const heldUntil = new Date(Date.now() + 60_000)
    await protect(userId, { heldUntil })
    expect(await approve(confirmer, created)).toMatchObject({ status: 403, code: 'ACCOUNT_HELD' })
    expect(await eventsOf(userId, 'refuse-confirmation')).toEqual([])
    const held = { heldUntil: heldUntil.toISOString() }
    expect(await readConfirmation(tab, created.id)).toMatchObject({ blockedBy: 'hold', ...held })
    const orderConfirmation = await createConfirmation(tab, order)
    expect(await readConfirmation(tab, orderConfirmation.id)).toMatchObject({ blockedBy: null, ...held })
    expect(await approve(confirmer, orderConfirmation)).toMatchObject(ok)
    clock.advance(59)
    expect(await approve(confirmer, created)).toMatchObject({ code: 'ACCOUNT_HELD' })
    clock.advance(1)
    expect(await readConfirmation(tab, created.id)).toMatchObject({ blockedBy: null, heldUntil: null })
    expect(await approve(confirmer, created)).toMatchObject(ok)
  })

  test('is held when a thief adds a passkey, which then confirms no withdrawal', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    const created = await createConfirmation(tab)
    expect(await approve({ tab, authenticator }, created)).toMatchObject({ code: 'ACCOUNT_HELD' })
  })

  test('an earlier approval is not consumed under a lock, a hold or a suspension, or after the session has ended', async () => {
    const approved = async () => {
      const confirmer = await pending()
      expect(await approve(confirmer, confirmer.created)).toMatchObject(ok)
      return { ...confirmer, jti: confirmer.created.id }
    }
    const one = await approved()
    await protect(one.userId, locked())
    expect(await consume(app, one.jti)).toMatchObject({ status: 423, code: 'ACCOUNT_LOCKED' })
    await protect(one.userId, { lockKind: null, lockedAt: null, unlockDays: null, heldUntil: inAnHour() })
    expect(await consume(app, one.jti)).toMatchObject({ status: 403, code: 'ACCOUNT_HELD' })
    await protect(one.userId, { heldUntil: null, suspendedAt: new Date() })
    expect(await consume(app, one.jti)).toMatchObject({ status: 423, code: 'ACCOUNT_LOCKED' })
    await protect(one.userId, { suspendedAt: null })
    await app.db.session.updateMany({ where: { userId: one.userId }, data: { expiresAt: new Date(Date.now() - 1) } })
    expect(await consume(app, one.jti)).toMatchObject({ status: 400, code: 'CONFIRMATION_SESSION_NOT_FOUND' })
    await app.db.session.updateMany({ where: { userId: one.userId }, data: { expiresAt: inAnHour() } })
    expect(await consume(app, one.jti)).toMatchObject(ok)

    const other = await approved()
    await other.tab.post('/auth/sign-out')
    expect(await consume(app, other.jti)).toMatchObject({ status: 400, code: 'CONFIRMATION_SESSION_NOT_FOUND' })
  })

  test('an approved order is consumed while the account is held', async () => {
    const confirmer = await pending(order)
    expect(await approve(confirmer, confirmer.created)).toMatchObject(ok)
    await protect(confirmer.userId, { heldUntil: inAnHour() })
    expect(await consume(app, confirmer.created.id)).toMatchObject(ok)
  })
})

describe('the proof of an approval', () => {
  const withCode = async (detail: Record<string, unknown>) => {
    const clock = holdStep()
    const tab = await app.signedIn()
    const { authenticator, backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
    await protect(tab.userId, { heldUntil: null })
    clock.advance(30)
    const created = await createConfirmation(tab, detail)
    const send = (body: object) => tab.post(at('approve'), { id: created.id, ...body })
    return { tab, authenticator, backupCodes, created, send }
  }

  test('is a code of the app where the rule says otp', async () => {
    const { tab, authenticator, created, send } = await withCode(small)
    expect(created.options).toBeNull()
    expect(await readConfirmation(tab, created.id)).toMatchObject({ method: 'otp', options: null })
    expect(await send({ code: '000000' })).toMatchObject({ status: 401, code: 'INVALID_CODE' })
    const { body } = await send({ code: authenticator.code() })
    expect(decodeJwt((body as { receipt: string }).receipt)).toMatchObject({ acr: 'aal1', amr: ['otp'] })
    expect(decodeJwt((body as { receipt: string }).receipt)).not.toHaveProperty('assertion')
    expect(await eventsOf(tab.userId, 'refuse-confirmation')).toHaveLength(1)
  })

  test('is never a backup code or a used code', async () => {
    const { backupCodes, authenticator, send, tab } = await withCode(small)
    expect(await send({ code: backupCodes[0] })).toMatchObject({ status: 401, code: 'INVALID_CODE' })
    expect(await app.db.backupCode.count({ where: { userId: tab.userId, usedAt: null } })).toBe(10)
    expect(await send({ code: authenticator.code() })).toMatchObject(ok)
    const next = await createConfirmation(tab, small)
    const again = await tab.post(at('approve'), { id: next.id, code: authenticator.code() })
    expect(again).toMatchObject({ status: 401, code: 'INVALID_CODE' })
  })

  test('cannot be a code for a larger amount, another currency or another type', async () => {
    for (const detail of [{ ...small, amount: '100.01' }, { ...small, currency: 'USD' }, { type: 'transfer' }, order]) {
      const { send, authenticator, tab, created } = await withCode(detail)
      expect(await send({ code: authenticator.code() })).toMatchObject({ status: 403, code: 'PASSKEY_REQUIRED' })
      expect((await readConfirmation(tab, created.id)).method).toBe('passkey')
    }
  })

  test('cannot be a code while codes are locked after ten wrong ones', async () => {
    const { tab, authenticator, send } = await withCode(small)
    await app.db.twoFactor.update({ where: { userId: tab.userId }, data: { failedAttempts: 9 } })
    expect(await send({ code: '000000' })).toMatchObject({ code: 'INVALID_CODE' })
    expect(await send({ code: authenticator.code() })).toMatchObject({ status: 429, code: 'ACCOUNT_TEMPORARILY_LOCKED' })
    expect(await eventsOf(tab.userId, 'refuse-confirmation')).toHaveLength(1)
    expect(await eventsOf(tab.userId, 'lock-two-factor')).toHaveLength(1)
  })

  test('is a press where the rule says none, or a passkey', async () => {
    const confirmer = await pending({ type: 'view' })
    const { tab, created } = confirmer
    expect((await readConfirmation(tab, created.id)).method).toBe('none')
    const { body } = await tab.post(at('approve'), { id: created.id })
    expect(decodeJwt((body as { receipt: string }).receipt)).toMatchObject({ acr: 'aal1', amr: [] })
    for (const detail of [{ type: 'view' }, small]) {
      const answer = await approve(confirmer, await createConfirmation(tab, detail))
      expect(decodeJwt((answer.body as { receipt: string }).receipt)).toMatchObject({ acr: 'aal2', amr: ['hwk', 'mfa'] })
    }
  })

  test('is a passkey under any other rule', async () => {
    for (const detail of [withdrawal, small, order]) {
      const { tab, created } = await pending(detail)
      expect(await tab.post(at('approve'), { id: created.id })).toMatchObject({ status: 403, code: 'PASSKEY_REQUIRED' })
    }
  })

  test('is a passkey without a hold for every type without a rule, and for every type by default', async () => {
    const strict = await createTestApp()
    const tab = await strict.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    const { body } = await tab.post(at('create'), { authorization_details: [{ type: 'view' }], audience: strict.baseUrl })
    expect(await approve({ tab, authenticator }, body as CreatedConfirmation)).toMatchObject({ code: 'ACCOUNT_HELD' })
  })
})

describe('the lifetime of a confirmation', () => {
  test('ends to the second, for approving and for consuming', async () => {
    const start = new Date(Math.ceil(Date.now() / 1000) * 1000)
    const clock = holdClock(start)
    const confirmer = await pending(withdrawal, { ttl: 60 })
    const { tab, created } = confirmer
    const approvedEarly = await createConfirmation(tab, withdrawal, { ttl: 60 })
    expect(await approve(confirmer, approvedEarly)).toMatchObject(ok)
    expect(created.expiresAt).toBe(new Date(start.getTime() + 60_000).toISOString())
    clock.advance(59)
    expect((await readConfirmation(tab, created.id)).status).toBe('pending')
    const another = await createConfirmation(tab, withdrawal, { ttl: 1 })
    expect(await approve(confirmer, another)).toMatchObject(ok)
    clock.advance(1)
    expect(await approve(confirmer, created)).toMatchObject({ status: 400, code: 'CONFIRMATION_EXPIRED' })
    expect(await tab.post(at('reject'), { id: created.id })).toMatchObject({ status: 400, code: 'CONFIRMATION_EXPIRED' })
    expect(await consume(app, approvedEarly.id)).toMatchObject({ status: 400, code: 'CONFIRMATION_EXPIRED' })
    for (const { id } of [created, approvedEarly])
      expect(await readConfirmation(tab, id)).toMatchObject({ status: 'expired', options: null, receipt: null })
  })

  test('lets a service consume in its last second', async () => {
    const clock = holdClock(new Date(Math.ceil(Date.now() / 1000) * 1000))
    const confirmer = await pending(withdrawal, { ttl: 60 })
    expect(await approve(confirmer, confirmer.created)).toMatchObject(ok)
    clock.advance(59)
    expect(await consume(app, confirmer.created.id)).toMatchObject(ok)
  })

  test('is not longer when the clock is set back', async () => {
    const clock = holdClock()
    const confirmer = await pending()
    clock.advance(-policy.confirmations.clockTolerance)
    expect((await readConfirmation(confirmer.tab, confirmer.created.id)).status).toBe('pending')
    clock.advance(-1)
    expect(await approve(confirmer, confirmer.created)).toMatchObject({ status: 400, code: 'CONFIRMATION_EXPIRED' })
  })
})

describe('consuming', () => {
  test('does not use up a confirmation whose receipt cannot be signed', async () => {
    const confirmer = await pending()
    expect(await approve(confirmer, confirmer.created)).toMatchObject(ok)
    const current = vi.spyOn(app.service.deps.signingKeys, 'current').mockRejectedValue(new Error('no signing key can be opened'))
    expect((await consume(app, confirmer.created.id)).status).toBe(500)
    current.mockRestore()
    expect(await consume(app, confirmer.created.id)).toMatchObject(ok)
  })

  test('succeeds once of fifty calls at once', async () => {
    const confirmer = await pending()
    expect(await approve(confirmer, confirmer.created)).toMatchObject(ok)
    const answers = await Promise.all(Array.from({ length: 50 }, () => consume(app, confirmer.created.id)))
    const outcomes = Object.groupBy(answers, ({ code }) => code ?? 'consumed')
    expect(outcomes.consumed).toHaveLength(1)
    expect(outcomes.CONFIRMATION_CONSUMED).toHaveLength(49)
    expect(await eventsOf(confirmer.userId, 'consume-confirmation')).toHaveLength(1)
    expect(await rowOf(confirmer.created.id)).toMatchObject({ consumedBy: 'SERVICE_KEYS' })
  })

  test('refuses a confirmation that is unknown, not approved or for another audience', async () => {
    const confirmer = await pending()
    const { created } = confirmer
    expect(await consume(app, 'unknown')).toMatchObject({ status: 404, code: 'CONFIRMATION_NOT_FOUND' })
    expect(await consume(app, created.id)).toMatchObject({ status: 409, code: 'CONFIRMATION_NOT_APPROVED' })
    expect(await approve(confirmer, created)).toMatchObject(ok)
    expect(await consume(app, created.id, { audience: app.baseUrl })).toMatchObject({ status: 403, code: 'INVALID_AUDIENCE' })
    expect(await consume(app, created.id)).toMatchObject(ok)
  })
})
