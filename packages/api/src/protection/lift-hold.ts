import { AppError } from '../kernel/errors.ts'
import { holds } from '../kernel/policy.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { sendHoldLifted } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { confirmByPasskey } from '../passkeys/confirm-by-passkey.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { liftHoldInput } from './contract.ts'
import { endHolds, findActiveHolds } from './holds.ts'

/**
 * Spec: Protection. Ends the liftable holds. The passkey must be a week older than every hold: a thief may have added a newer one.
 * ACCOUNT_NOT_HELD, HOLD_NOT_LIFTABLE; errors of `confirmByPasskey`.
 */
export const liftHold = mutation({
  access: 'session',
  sensitive: true,
  input: liftHoldInput,
  limit: 'passkey:ip',
  events: ['lift-hold', ...passkeyActions],
  mails: ['hold-lifted', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { passkey } }) {
    const userId = ctx.user.id
    const active = await findActiveHolds(tx, userId)
    const [first] = active
    if (!first) throw new AppError('ACCOUNT_NOT_HELD')
    const liftable = active.map(({ reason }) => reason).filter((reason) => holds[reason].isLiftable)
    if (liftable.length === 0) throw new AppError('HOLD_NOT_LIFTABLE')
    const refusal = await confirmByPasskey(ctx, tx, passkey, { olderThan: getTrustCutoff(first.startedAt) })
    if (refusal) return { events: [], refusal }
    await endHolds(tx, userId, liftable)
    const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    await sendHoldLifted(ctx, tx, user)
    return {
      events: [{ action: 'lift-hold', details: { reasons: liftable.join(',') } }],
      result: { heldUntil: user.heldUntil },
    }
  },
})
