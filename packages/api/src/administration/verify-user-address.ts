import type { User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { sendPasswordSet } from '../mail/notifications.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { lockUser } from '../users/lock-user.ts'
import { markEmailVerified } from '../users/mark-email-verified.ts'
import { startHold } from '../users/start-hold.ts'
import { type Operator, toActor } from './operator.ts'

/** Marks an email as verified. Clears the password, which an attacker may have set, unless `keepPassword`. EMAIL_ALREADY_VERIFIED. */
export async function verifyUserAddress(
  operator: Operator,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  reason: string,
  { keepPassword }: { keepPassword: boolean },
): Promise<{ passwordCleared: boolean }> {
  const { ctx } = operator
  return ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const credential = { userId, providerId: 'credential' }
    if (!keepPassword && (await tx.user.count({ where: { id: userId, email } })) > 0) await clearPassword(tx, userId)
    const verified = await markEmailVerified(ctx, tx, {
      userId,
      email,
      audit: { ...toActor(operator), details: { reason, keepPassword } },
    })
    if (!verified) throw new AppError('EMAIL_ALREADY_VERIFIED')
    await startHold(ctx, tx, userId, 'operator')
    const account = await tx.account.findFirst({
      where: { ...credential, passwordHash: { not: null } },
      include: { user: true },
    })
    if (account) await sendPasswordSet(ctx, tx, account.user)
    return { passwordCleared: verified.isCleared }
  })
}
