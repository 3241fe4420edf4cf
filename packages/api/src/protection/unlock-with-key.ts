import type { User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { noLock } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { sendAccountUnlocked, sendUnlockRefused } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { confirmByPasskey } from '../passkeys/confirm-by-passkey.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { requireLocked } from '../users/start-unlock.ts'
import { unlockWithKeyInput } from './contract.ts'
import { hashLockKey } from './lock-account.ts'

/**
 * Spec: Protection. Ends the lock at once. Needs the lock key and a passkey that is older than the lock.
 * ACCOUNT_NOT_LOCKED, INVALID_LOCK_KEY; errors of `confirmByPasskey`.
 */
export const unlockWithKey = mutation({
  access: 'session',
  sensitive: false,
  input: unlockWithKeyInput,
  limit: 'passkey:ip',
  events: ['unlock-account', 'refuse-unlock', ...passkeyActions],
  mails: ['account-unlocked', 'unlock-refused', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { key, passkey } }) {
    const user = await requireLocked(tx, ctx.user.id)
    const passkeyRefusal = await confirmByPasskey(ctx, tx, passkey, { olderThan: user.lockedAt ?? new Date(0) })
    // Counted after the passkey, so that a thief cannot use up the owner's attempts.
    // The key counts after the passkey: a thief must not use up the tries of the owner.
    const refusal = passkeyRefusal ?? (await checkKey(ctx, user, key))
    if (refusal) {
      await sendUnlockRefused(ctx, tx, user)
      return { events: [{ action: 'refuse-unlock', succeeded: false, details: { reason: refusal.key } }], refusal }
    }
    await tx.user.update({ where: { id: user.id }, data: noLock })
    await sendAccountUnlocked(ctx, tx, user, 'key')
    return { events: [{ action: 'unlock-account', details: { by: 'key' } }], result: { status: true as const } }
  },
})

/** A refusal by the limit is committed and mailed like the others. */
async function checkKey(ctx: Context, { id, lockKeyHash }: User, key: string): Promise<AppError | null> {
  try {
    await ctx.limiter.consume('unlock:user', id)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  return lockKeyHash === hashLockKey(key) ? null : new AppError('INVALID_LOCK_KEY')
}
