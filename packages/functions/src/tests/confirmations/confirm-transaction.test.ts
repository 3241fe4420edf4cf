import { createHash } from 'node:crypto'
import {
  approve,
  approveNew,
  asService,
  at,
  type CreatedConfirmation,
  confirmationAudience,
  confirmationEnvironment,
  consume,
  createConfirmation,
  readConfirmation,
  signInConfirmer,
  withdrawal,
} from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'

const app = await createTestApp(confirmationEnvironment)
/** Of a public key: 32 bytes in base64url. */
const coordinate = expect.stringMatching(/^[\w-]{43}$/)
const rowOf = (id: string) => app.db.confirmation.findUniqueOrThrow({ where: { id } })

describe('a user who confirms a transaction', () => {
  test('sees every member of the transaction, signs its hash, and gets a receipt with the assertion', async () => {
    const confirmer = await signInConfirmer(app)
    const created = await createConfirmation(confirmer.tab)
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      display: [
        { label: 'Action', value: 'withdrawal' },
        { label: 'Amount', value: '2500.00' },
        { label: 'Currency', value: 'EUR' },
        { label: 'Payee', value: 'Grace Hopper' },
        { label: 'Payee IBAN', value: 'DE89370400440532013000' },
      ],
      options: expect.objectContaining({
        rpId: 'localhost',
        userVerification: 'required',
        allowCredentials: [expect.objectContaining({ id: confirmer.authenticator.credentials[0]?.id })],
      }),
      expiresAt: expect.any(String),
      url: `${app.baseUrl}/confirm?id=${created.id}`,
    })
    const { canonical } = await rowOf(created.id)
    expect(created.options?.challenge).toBe(createHash('sha256').update(`floorpass-tx-v1\0${canonical}`).digest('base64url'))

    const answer = await approve(confirmer, created)
    expect(answer.status).toBe(200)
    const { receipt } = answer.body as { receipt: string }
    expect(decodeProtectedHeader(receipt)).toMatchObject({ alg: 'ES256', typ: 'confirmation+jwt', kid: expect.any(String) })
    expect(decodeJwt(receipt)).toEqual({
      iss: app.baseUrl,
      sub: confirmer.userId,
      aud: confirmationAudience,
      jti: created.id,
      sid: confirmer.sessionId,
      iat: expect.any(Number),
      exp: Date.parse(created.expiresAt) / 1000,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      acr: 'aal2',
      amr: ['hwk', 'mfa'],
      authorization_details: [withdrawal],
      txn_hash: created.options?.challenge,
      assertion: {
        id: confirmer.authenticator.credentials[0]?.id,
        type: 'public-key',
        publicKey: { kty: 'EC', crv: 'P-256', alg: 'ES256', x: coordinate, y: coordinate },
        clientDataJSON: expect.any(String),
        authenticatorData: expect.any(String),
        signature: expect.any(String),
      },
    })
  })

  test('reads the confirmation before and after, and a service consumes it once', async () => {
    const { tab, id, receipt, userId, options } = await approveNew(app)
    const approved = await readConfirmation(tab, id)
    expect(approved).toMatchObject({ status: 'approved', method: 'passkey', options: null, createdBy: null, type: 'withdrawal' })
    expect(decodeJwt(approved.receipt ?? '')).toEqual(decodeJwt(receipt))

    const consumed = await consume(app, id, { audience: confirmationAudience })
    expect(consumed.status).toBe(200)
    expect(consumed.body).toEqual({
      receipt: expect.any(String),
      sub: userId,
      aud: confirmationAudience,
      type: 'withdrawal',
      authorization_details: [withdrawal],
      acr: 'aal2',
      amr: ['hwk', 'mfa'],
      txn_hash: options?.challenge,
      exp: decodeJwt(receipt).exp,
    })
    expect(decodeJwt((consumed.body as { receipt: string }).receipt)).toEqual(decodeJwt(receipt))
    expect(await consume(app, id)).toMatchObject({ status: 409, code: 'CONFIRMATION_CONSUMED' })
    expect(await readConfirmation(tab, id)).toMatchObject({ status: 'consumed', receipt: null, options: null })
    const { events } = (await tab.get('/auth/list-activity')).body as { events: { action: string; byAnother: boolean }[] }
    expect(events.slice(0, 2)).toMatchObject([
      { action: 'consume-confirmation', byAnother: true, ipAddress: '' },
      { action: 'approve-confirmation', byAnother: false },
    ])
  })

  test('confirms a transaction that another service asks for', async () => {
    const confirmer = await signInConfirmer(app)
    const { userId, sessionId, tab } = confirmer
    const service = app.browser({ origin: null })
    const fields = { authorization_details: [withdrawal], audience: confirmationAudience, userId, sessionId, ttl: 60 }
    const answer = await service.post(at('create'), fields, asService)
    expect(answer.status).toBe(200)
    const created = answer.body as CreatedConfirmation
    expect(await readConfirmation(tab, created.id)).toMatchObject({ status: 'pending', createdBy: 'SERVICE_KEYS' })
    expect((await approve(confirmer, created)).status).toBe(200)
    expect((await consume(app, created.id)).status).toBe(200)
  })

  test('rejects the transaction at once', async () => {
    const confirmer = await signInConfirmer(app)
    const created = await createConfirmation(confirmer.tab)
    expect((await confirmer.tab.post(at('reject'), { id: created.id })).body).toEqual({ status: true })
    expect(await readConfirmation(confirmer.tab, created.id)).toMatchObject({ status: 'rejected', options: null })
    expect(await approve(confirmer, created)).toMatchObject({ status: 409, code: 'CONFIRMATION_NOT_PENDING' })
    expect(await consume(app, created.id)).toMatchObject({ status: 409, code: 'CONFIRMATION_NOT_APPROVED' })
  })
})
