import { AppError } from '../kernel/errors.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordChanged } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { consumeOneTimeToken, findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { lockUser, requireUnlocked } from '../users/lock-user.ts'
import { replacePassword } from '../users/replace-password.ts'
import { resetPasswordInput } from './contract.ts'

/** Spec: Passwords. Also verifies the email. A refused password leaves the link usable. INVALID_TOKEN, TOKEN_EXPIRED, ACCOUNT_LOCKED. */
export const resetPassword = mutation({
  access: 'public',
  sensitive: 'in-part',
  input: resetPasswordInput,
  limit: 'reset-password:ip',
  events: ['reset-password'],
  mails: ['password-changed'],
  cookies: ['known_device'],

  async prepare({ ctx, input }) {
    const { user } = await findOneTimeToken(ctx.db, 'reset-password', input.token)
    await assertPasswordAllowed(input.newPassword, { ...user, appName: ctx.settings.appName }, 'newPassword')
    return { user, passwordHash: await ctx.passwords.hash(input.newPassword) }
  },
  lock: (tx, { prepared }) => lockUser(tx, prepared.user.id),
  async change(tx, { ctx, input, prepared: { user, passwordHash } }) {
    await requireUnlocked(tx, user.id, { acceptsPanic: true })
    const { email } = await consumeOneTimeToken(tx, 'reset-password', input.token)
    const { count } = await tx.user.updateMany({
      where: { id: user.id, email: email ?? '', suspendedAt: null },
      data: { emailVerified: true },
    })
    if (count === 0) throw new AppError('INVALID_TOKEN')
    const account = await replacePassword(ctx, tx, user.id, { passwordHash, cause: 'reset-password' })
    await sendPasswordChanged(ctx, tx, user, { byReset: true })
    return { events: [{ userId: user.id, action: 'reset-password' }], result: account }
  },
  async answer({ ctx, prepared: { user }, result: account }) {
    // An attacker's wrong guesses must not lock out the owner of the mailbox.
    rememberDevice(ctx, account)
    await resetSignInThrottle(ctx, 'unknown', user.email, account)
    return { status: true as const }
  },
})
