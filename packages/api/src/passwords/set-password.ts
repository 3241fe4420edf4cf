import { AppError } from '../kernel/errors.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordSet } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { clearedFailures, resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { startHold } from '../users/start-hold.ts'
import { setPasswordInput } from './contract.ts'

/** Spec: Passwords. Throws SESSION_NOT_FRESH or PASSWORD_ALREADY_SET. */
export const setPassword = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: setPasswordInput,
  limit: 'confirm-password:user',
  events: ['set-password'],
  mails: ['password-set'],
  cookies: ['known_device'],

  async prepare({ ctx, input }) {
    await assertPasswordAllowed(input.newPassword, { ...ctx.user, appName: ctx.settings.appName }, 'newPassword')
    return { passwordHash: await ctx.passwords.hash(input.newPassword) }
  },
  lock: 'caller',
  async change(tx, { ctx, prepared: { passwordHash } }) {
    const userId = ctx.user.id
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
    await startHold(ctx, tx, userId, 'change-password')
    await sendPasswordSet(ctx, tx, ctx.user)
    return { events: [{ action: 'set-password' }], result: await findPasswordAccount(tx, userId) }
  },
  async answer({ ctx, result: account }) {
    if (account) {
      rememberDevice(ctx, account)
      await resetSignInThrottle(ctx, 'unknown', ctx.user.email, account)
    }
    return { status: true as const }
  },
})
