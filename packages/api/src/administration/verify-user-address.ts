import { AppError } from '../errors.ts'
import { lockUser } from '../security/lock-user.ts'
import { proveAddress } from '../security/prove-address.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/**
 * An operator vouches that the address is the user's: `reason` says why, in the audit log. The password that signed up with it
 * counts from now on. USER_NOT_FOUND, EMAIL_ALREADY_VERIFIED.
 */
export async function verifyUserAddress(operator: Operator, who: string, reason: string): Promise<{ passwordCleared: boolean }> {
  const { ctx } = operator
  const { id: userId, email } = await requireUser(operator, who)
  return ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const proved = await proveAddress(ctx, tx, { userId, email, audit: { ...actorOf(operator), details: { reason } } })
    if (!proved) throw new AppError('EMAIL_ALREADY_VERIFIED')
    return { passwordCleared: proved.isCleared }
  })
}
