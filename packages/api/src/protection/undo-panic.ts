import type { Transaction, User } from '@floorpass/db'
import { isLocked, noLock } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { sendAccountUnlocked } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { confirmByPasskey } from '../passkeys/confirm-by-passkey.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { undoPanicInput } from './contract.ts'
import { endHolds, findActiveHolds } from './holds.ts'

/**
 * Spec: Protection. Ends the lock and the hold of a panic link. The passkey must be a week older than the press: a thief may have added a
 * newer one. PANIC_NOT_FOUND, ACCOUNT_LOCKED while the owner's lock is on; errors of `confirmByPasskey`.
 */
export const undoPanic = mutation({
  access: 'session',
  sensitive: 'in-part',
  input: undoPanicInput,
  limit: 'passkey:ip',
  events: ['undo-panic', ...passkeyActions],
  mails: ['account-unlocked', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { passkey } }) {
    const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
    if (user.lockKind === 'owner') assertUnlocked(user)
    const pressedAt = await findPress(tx, user)
    if (!pressedAt) throw new AppError('PANIC_NOT_FOUND')
    const refusal = await confirmByPasskey(ctx, tx, passkey, { olderThan: getTrustCutoff(pressedAt) })
    if (refusal) return { events: [], refusal }
    if (user.lockKind === 'panic') await tx.user.update({ where: { id: user.id }, data: noLock })
    await endHolds(tx, user.id, ['panic'])
    // The owner is back: a link from an earlier mail must not stop everything again.
    await voidOneTimeTokens(tx, user.id, ['panic'])
    await sendAccountUnlocked(ctx, tx, user, 'panic-undone')
    return { events: [{ action: 'undo-panic' }], result: { status: true as const } }
  },
})

async function findPress(tx: Transaction, user: User): Promise<Date | null> {
  if (user.lockKind === 'panic' && isLocked(user)) return user.lockedAt
  return (await findActiveHolds(tx, user.id)).find(({ reason }) => reason === 'panic')?.startedAt ?? null
}
