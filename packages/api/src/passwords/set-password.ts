import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordSet } from '../mail/notifications.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { clearedFailures, resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { setPasswordInput } from './contract.ts'

/** Spec: Passwords. Throws SESSION_NOT_FRESH or PASSWORD_ALREADY_SET. */
export const setPassword = sessionProcedure.input(setPasswordInput).mutation(async ({ ctx, input }) => {
  assertReauthenticated(ctx.session)
  await ctx.limiter.consume('confirm-password:user', ctx.user.id)
  await assertPasswordAllowed(input.newPassword, { ...ctx.user, appName: ctx.settings.appName }, 'newPassword')

  const userId = ctx.user.id
  const passwordHash = await ctx.passwords.hash(input.newPassword)
  const account = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    // An undone email change leaves an account without a password: update that row.
    const created = await tx.account.createMany({
      data: { userId, providerId: 'credential', accountId: userId, passwordHash },
      skipDuplicates: true,
    })
    const isSet =
      created.count === 1 ||
      (
        await tx.account.updateMany({
          where: { userId, providerId: 'credential', passwordHash: null },
          data: { passwordHash, ...clearedFailures('unknown') },
        })
      ).count === 1
    if (!isSet) throw new AppError('PASSWORD_ALREADY_SET')
    await voidOneTimeTokens(tx, userId, ['reset-password', 'reauthenticate'])
    await recordAuditEvent(tx, ctx.client, { userId, action: 'set-password' })
    await sendPasswordSet(ctx, tx, ctx.user)
    return findPasswordAccount(tx, userId)
  })
  if (account) {
    rememberDevice(ctx, account)
    await resetSignInThrottle(ctx, 'unknown', ctx.user.email, account)
  }
  ctx.mail.wake()
  return { status: true as const }
})
