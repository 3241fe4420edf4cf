import type { Confirmation, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { type AuthenticationOptions, createAuthenticationOptions } from '../passkeys/webauthn.ts'
import { getChallenge } from './transaction-challenge.ts'

/** What `navigator.credentials.get` needs. Null when the user has no passkey, or where browsers offer none. */
export async function findPasskeyRequest(
  { settings: { passkeys } }: Pick<Context, 'settings'>,
  db: Pick<Transaction, 'passkey'>,
  { userId, canonical }: Pick<Confirmation, 'userId' | 'canonical'>,
): Promise<AuthenticationOptions | null> {
  const allow = passkeys ? await db.passkey.findMany({ where: { userId } }) : []
  if (!passkeys || allow.length === 0) return null
  return createAuthenticationOptions(passkeys, { challenge: getChallenge(canonical), allow, userVerification: 'required' })
}
