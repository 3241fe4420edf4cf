import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import { checkUserVerification, type PasskeyContext, verifyPasskey } from '../passkeys/verify-passkey.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/**
 * A stolen session must not create a key that withdraws, so the owner confirms it with a passkey. The caller holds the owner's lock and
 * commits a refusal that it returns: the challenge is used up. PASSKEY_REQUIRED and errors of `verifyPasskey`.
 */
export async function confirmWithdrawals(
  ctx: PasskeyContext & ActiveSession,
  tx: Transaction,
  scopes: readonly string[],
  passkey: PasskeyAssertion | undefined,
): Promise<AppError | null> {
  if (!scopes.includes('withdrawal:create')) return null
  if (!passkey) throw new AppError('PASSKEY_REQUIRED')
  const verified = checkUserVerification(await verifyPasskey(ctx, tx, ctx.user.id, passkey))
  return verified instanceof AppError ? verified : null
}
