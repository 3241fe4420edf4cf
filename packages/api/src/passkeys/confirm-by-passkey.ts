import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import type { PasskeyAssertion } from './contract.ts'
import { checkUserVerification, type PasskeyContext, verifyPasskey } from './verify-passkey.ts'

type Age = {
  /** The passkey must have been added by then: a thief with a session can add one. */
  olderThan: Date
}

/**
 * The caller holds the user's lock and commits a refusal that it returns: the challenge is used up. Returns PASSKEY_TOO_NEW,
 * USER_VERIFICATION_REQUIRED and errors of `verifyPasskey`. Throws PASSKEY_REQUIRED, CHALLENGE_NOT_FOUND.
 */
export async function confirmByPasskey(
  ctx: PasskeyContext & ActiveSession,
  tx: Transaction,
  passkey: PasskeyAssertion | undefined,
  { olderThan }: Age,
): Promise<AppError | null> {
  if (!passkey) throw new AppError('PASSKEY_REQUIRED')
  const verified = checkUserVerification(await verifyPasskey(ctx, tx, ctx.user.id, passkey))
  if (verified instanceof AppError) return verified
  return verified.addedAt.getTime() <= olderThan.getTime() ? null : new AppError('PASSKEY_TOO_NEW')
}

/** Only a passkey that was added by then proves the owner. */
export const getOwnerProofTime = (): Date => new Date(Date.now() - policy.passkeys.ownerProofAge * 1000)
