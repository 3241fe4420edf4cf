import { AppError } from '../kernel/errors.ts'
import { sendUnlockCanceled } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { requireLocked } from '../users/start-unlock.ts'

/** Spec: Protection. ACCOUNT_NOT_LOCKED, UNLOCK_NOT_REQUESTED. */
export const cancelUnlock = mutation({
  access: 'session',
  sensitive: false,
  input: null,
  limit: 'change-protection:ip',
  events: ['cancel-unlock'],
  mails: ['unlock-canceled'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx }) {
    const user = await requireLocked(tx, ctx.user.id)
    if (!user.unlockAt) throw new AppError('UNLOCK_NOT_REQUESTED')
    await tx.user.update({ where: { id: user.id }, data: { unlockAt: null } })
    await sendUnlockCanceled(ctx, tx, user)
    return { events: [{ action: 'cancel-unlock' }], result: { status: true as const } }
  },
})
