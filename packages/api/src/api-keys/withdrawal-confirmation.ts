import type { Transaction } from '@floorpass/db'
import type { AppError } from '../kernel/errors.ts'
import { confirmByPasskey, getOwnerProofTime } from '../passkeys/confirm-by-passkey.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import type { PasskeyContext } from '../passkeys/verify-passkey.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/**
 * A stolen session must not create a key that withdraws, so the owner confirms it with a passkey. The caller holds the owner's lock and
 * commits a refusal that it returns: the challenge is used up. Errors of `confirmByPasskey`.
 */
export async function confirmWithdrawals(
  ctx: PasskeyContext & ActiveSession,
  tx: Transaction,
  scopes: readonly string[],
  passkey: PasskeyAssertion | undefined,
): Promise<AppError | null> {
  if (!scopes.includes('withdrawal:create')) return null
  return confirmByPasskey(ctx, tx, passkey, { olderThan: getOwnerProofTime() })
}
