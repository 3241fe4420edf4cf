import type { Transaction } from '@floorpass/db'
import { isHeld } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { confirmByPasskey, getOwnerProofTime } from '../passkeys/confirm-by-passkey.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import type { PasskeyContext } from '../passkeys/verify-passkey.ts'
import { findActiveHolds } from '../protection/holds.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/**
 * An account with a passkey needs one that is a day old. While a removed passkey holds withdrawals, it must be a week older than the
 * removal: a thief may have added a passkey, then removed the owner's. An account without a passkey must not be on hold.
 * The caller commits a refusal that this returns. ACCOUNT_HELD; errors of `confirmByPasskey`.
 */
export async function confirmLoosening(
  ctx: PasskeyContext & ActiveSession,
  tx: Transaction,
  passkey: PasskeyAssertion | undefined,
): Promise<AppError | null> {
  const user = await tx.user.findUniqueOrThrow({
    where: { id: ctx.user.id },
    include: { _count: { select: { passkeys: true } } },
  })
  if (!ctx.settings.passkeys || user._count.passkeys === 0) {
    if (isHeld(user)) throw new AppError('ACCOUNT_HELD')
    return null
  }
  const removal = (await findActiveHolds(tx, user.id)).find(({ reason }) => reason === 'remove-passkey')
  return confirmByPasskey(ctx, tx, passkey, { olderThan: removal ? getTrustCutoff(removal.startedAt) : getOwnerProofTime() })
}
