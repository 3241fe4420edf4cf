import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordChanged } from '../mail/notifications.ts'
import { consumeOneTimeToken, findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { forgetWindows } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUser } from '../users/lock-user.ts'
import { resetPasswordInput } from './contract.ts'
import { replacePassword } from './replace-password.ts'

/**
 * Sets a new password with the token of a mailed link. Spec: Passwords. Ends every session and every other link; signs nobody in, but
 * makes this browser a known device.
 * The link proves the mailbox, so an unproved address counts as proved. INVALID_TOKEN, TOKEN_EXPIRED and the password codes; a
 * refused password leaves the link usable.
 */
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
  // Whoever guesses at the account meanwhile must not keep out who has just proved the mailbox.
  rememberDevice(ctx, account)
  await forgetWindows(ctx, 'unknown', user.email, account)
  ctx.mail.wake()
  return { status: true as const }
})
