import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createSecretBox } from '@floorpass/api'
import { openDatabase } from '@floorpass/db'
import { importJWK, type JWK, SignJWT } from 'jose'
import { createSoftwareAuthenticator } from '../../software-authenticator.ts'
import type { Attack } from '../row.ts'
import { type Owner, order, pay, type Scene, signInAsOwner, startWithdrawal, withdraw } from '../scene.ts'

type Claims = Record<string, unknown> & {
  exp: number
  authorization_details: Record<string, string>[]
  assertion: { id: string; publicKey: JWK; clientDataJSON: string; authenticatorData: string; signature: string }
}

/** Must run last: it stops Floorpass and reads the database, as an insider does. */
export const forgeReceipt = (scene: Scene, owner: Owner, databaseUrl: string | undefined): Attack => ({
  name: 'An insider of the identity service forges a receipt',
  tried:
    'sign receipts with the signing key of Floorpass: with an older assertion, no assertion, a passkey of the insider, a later expiry, another id',
  async run(row) {
    const tab = await signInAsOwner(scene, owner)
    const { started: paid, receipt } = await withdraw(scene, tab, owner.authenticator)
    const started = await startWithdrawal(scene, tab, { ...order, amount: '99000.00' })
    const key = await stealSigningKey(scene, databaseUrl, readPart(receipt, 0).kid as string)
    const genuine = readPart(receipt, 1) as Claims
    const sign = (changes: object) =>
      new SignJWT({ ...genuine, exp: Math.floor(scene.service.now() / 1000) + 300, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'confirmation+jwt', kid: readPart(receipt, 0).kid as string })
        .sign(key)
    const [detail] = genuine.authorization_details
    const details = [{ ...detail, id: started.id, amount: '99000.00' }]
    const forge = async (what: string, changes: object, code: string, of = started) =>
      row.refused(what, await pay(scene, of, await sign(changes)), code)

    await forge('an older assertion', { authorization_details: details }, 'RECEIPT_FOR_ANOTHER_TRANSACTION')
    const rehashed = { authorization_details: details, txn_hash: 'AAAA' }
    await forge('an older assertion and another hash', rehashed, 'RECEIPT_FOR_ANOTHER_TRANSACTION')
    await forge('no assertion', { authorization_details: details, assertion: undefined }, 'RECEIPT_WITHOUT_PASSKEY')
    await forge('a later expiry', {}, 'RECEIPT_FOR_ANOTHER_TRANSACTION', paid)
    const withoutUser = {
      assertion: { ...genuine.assertion, authenticatorData: withoutVerification(genuine.assertion.authenticatorData) },
    }
    await forge(
      'an assertion without user verification',
      { exp: genuine.exp, ...withoutUser },
      'RECEIPT_WITHOUT_USER_VERIFICATION',
      paid,
    )
    await forge('another id of the receipt', { exp: genuine.exp, jti: 'another' }, 'ALREADY_PAID', paid)
    for (const id of [genuine.assertion.id, 'another']) {
      const own = signWithOwnPasskey(scene, { ...genuine, authorization_details: details, exp: genuine.exp + 300 })
      await forge('a passkey of the insider', { ...own, assertion: { ...own.assertion, id } }, 'RECEIPT_OF_ANOTHER_PASSKEY')
    }
    const mixed = { ...signWithOwnPasskey(scene, { ...genuine, authorization_details: details }) }
    const borrowed = { ...mixed.assertion, publicKey: genuine.assertion.publicKey }
    await forge(
      'a passkey of the insider with the public key of the owner',
      { ...mixed, assertion: borrowed },
      'RECEIPT_WITHOUT_PASSKEY',
    )
    row.works('pin the passkey of the owner', scene.withdrawals.pins.size > 0)
  },
})

const readPart = (receipt: string, part: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(receipt.split('.')[part] ?? '', 'base64url').toString()) as Record<string, unknown>

/** Needs the database and AUTH_SECRET only. */
async function stealSigningKey({ service, dataDir, authSecret }: Scene, databaseUrl: string | undefined, id: string) {
  await service.end('SIGTERM')
  const database = await openDatabase(
    databaseUrl ? { kind: 'postgres', url: databaseUrl } : { kind: 'embedded', directory: join(dataDir, 'database') },
  )
  try {
    const { privateKeySealed } = await database.db.signingKey.findUniqueOrThrow({ where: { id } })
    const text = createSecretBox([authSecret]).open(privateKeySealed, ['signing_keys.private_key_sealed', id])
    return await importJWK(JSON.parse(text) as JWK, 'ES256')
  } finally {
    await database.close()
  }
}

function withoutVerification(authenticatorData: string): string {
  const data = Buffer.from(authenticatorData, 'base64url')
  data[32] = (data[32] ?? 0) & ~0x04
  return data.toString('base64url')
}

/** Another passkey signs the forged transaction correctly. */
function signWithOwnPasskey({ target: { origin } }: Scene, claims: Claims) {
  const { authorization_details, sub, sid, nonce, exp } = claims
  const canonical = JSON.stringify({
    authorization_details: authorization_details.map((detail) => Object.fromEntries(Object.entries(detail).sort())),
    exp,
    nonce,
    sid,
    sub,
  })
  const challenge = createHash('sha256').update(`floorpass-tx-v1\0${canonical}`).digest('base64url')
  const authenticator = createSoftwareAuthenticator()
  authenticator.register({ challenge: '', rp: { id: new URL(origin).hostname }, user: { id: '' } }, { origin })
  const { id, response } = authenticator.authenticate({ challenge, rpId: new URL(origin).hostname }, { origin })
  const { kty, crv, x, y } = authenticator.credentials[0]?.privateKey.export({ format: 'jwk' }) ?? {}
  const { userHandle: _, ...signed } = response
  return {
    authorization_details,
    exp,
    txn_hash: challenge,
    assertion: { id, publicKey: { kty, crv, x, y, alg: 'ES256' }, ...signed },
  }
}
