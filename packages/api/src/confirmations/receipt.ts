import type { Confirmation } from '@floorpass/db'
import { SignJWT } from 'jose'
import { type SigningKey, signingAlgorithm } from '../access/signing-keys.ts'
import type { Context } from '../context.ts'
import { getChallenge, readTransaction } from './transaction-challenge.ts'

/** The assertion as the browser sent it, in base64url, with the public key of its passkey. */
export type StoredAssertion = {
  id: string
  type: 'public-key'
  publicKey: Record<string, string>
  clientDataJSON: string
  authenticatorData: string
  signature: string
}

/** The row has every claim, so a lost receipt can be signed again with the same claims. */
export async function signReceipt(
  { settings: { baseUrl } }: Pick<Context, 'settings'>,
  { id, key }: SigningKey,
  confirmation: Confirmation,
): Promise<string> {
  return new SignJWT({ iss: baseUrl, ...toClaims(confirmation) })
    .setProtectedHeader({ alg: signingAlgorithm, typ: 'confirmation+jwt', kid: id })
    .sign(key)
}

export function toClaims({ id, canonical, audience, approvedAt, approvedBy, assertion }: Confirmation) {
  const { authorization_details, sub, sid, nonce, exp } = readTransaction(canonical)
  const isByPasskey = assertion !== null
  return {
    sub,
    aud: audience,
    jti: id,
    sid,
    iat: Math.floor((approvedAt?.getTime() ?? 0) / 1000),
    exp,
    nonce,
    acr: isByPasskey ? ('aal2' as const) : ('aal1' as const),
    amr: [...(approvedBy === null || approvedBy === 'none' ? [] : [approvedBy]), ...(isByPasskey ? ['mfa'] : [])],
    authorization_details,
    txn_hash: getChallenge(canonical),
    ...(isByPasskey && { assertion: assertion as StoredAssertion }),
  }
}
