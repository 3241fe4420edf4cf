import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordChanged } from '../mail/notifications.ts'
import { consumeOneTimeToken, findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUser } from '../users/lock-user.ts'
import { resetPasswordInput } from './contract.ts'
import { replacePassword } from './replace-password.ts'

/** Spec: Passwords. Also verifies the email. A refused password leaves the link usable. Throws INVALID_TOKEN or TOKEN_EXPIRED. */
export const resetPassword = publicProcedure.input(resetPasswordInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('reset-password:ip')
  const { user } = await findOneTimeToken(ctx.db, 'reset-password', input.token)
  await assertPasswordAllowed(input.newPassword, { ...user, appName: ctx.settings.appName }, 'newPassword')

  const passwordHash = await ctx.passwords.hash(input.newPassword)
  const account = await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, user.id)
    const { email } = await consumeOneTimeToken(tx, 'reset-password', input.token)
    const { count } = await tx.user.updateMany({
      where: { id: user.id, email: email ?? '', suspendedAt: null },
      data: { emailVerified: true },
    })
    if (count === 0) throw new AppError('INVALID_TOKEN')
    const replaced = await replacePassword(tx, user.id, passwordHash)
    await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'reset-password' })
    await sendPasswordChanged(ctx, tx, user)
    return replaced
  })
  // An attacker's wrong guesses must not lock out the owner of the mailbox.
  rememberDevice(ctx, account)
  await resetSignInThrottle(ctx, 'unknown', user.email, account)
  ctx.mail.wake()
  return { status: true as const }
})
