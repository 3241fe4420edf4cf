import type { User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { sendPasswordSet } from '../mail/notifications.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { lockUser } from '../users/lock-user.ts'
import { markEmailVerified } from '../users/mark-email-verified.ts'
import { actorOf, type Operator } from './operator.ts'

/**
 * An operator vouches that the address, as it was shown to them, is the user's: `reason` says why, in the audit log. Whoever signed up
 * may have been a stranger: their password counts no more, and the address is mailed a link to choose one. With `keepPassword`, for
 * who was recognised and gets no mail, it counts, and the address is told. EMAIL_ALREADY_VERIFIED, also when the address has changed.
 */
export async function verifyUserAddress(
  { ctx, name }: Operator,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  reason: string,
  { keepPassword }: { keepPassword: boolean },
): Promise<{ passwordCleared: boolean }> {
  return ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const credential = { userId, providerId: 'credential' }
    if (!keepPassword && (await tx.user.count({ where: { id: userId, email } })) > 0) await clearPassword(tx, userId)
    const proved = await markEmailVerified(ctx, tx, {
      userId,
      email,
      audit: { ...actorOf({ name }), details: { reason, keepPassword } },
    })
    if (!proved) throw new AppError('EMAIL_ALREADY_VERIFIED')
    const counting = await tx.account.findFirst({
      where: { ...credential, passwordHash: { not: null } },
      include: { user: true },
    })
    if (counting) await sendPasswordSet(ctx, tx, counting.user)
    return { passwordCleared: proved.isCleared }
  })
}
