import type { Context } from '../context.ts'
import { forgetSignInMethod } from '../cookies/sign-in-method.ts'
import { isHeld } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendDeletionLink } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { deleteAccount, deleteSoleOrganizations } from '../users/delete-account.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { hasUsablePasskey } from '../users/sign-in-methods.ts'
import { deleteUserInput } from './contract.ts'

/**
 * Deletes the caller's account, given the password or a mailed token; with neither, mails the link. Errors: docs/specs/profile.md.
 * A thief with the password and the authenticator's secret must not delete the account of an owner with a second factor.
 */
export const deleteUser = mutation({
  access: 'session',
  sensitive: true,
  input: deleteUserInput,
  limit: null,
  events: ['request-account-deletion', 'pause-password'],
  mails: ['delete-account', 'account-deleted', 'password-paused'],
  cookies: ['session', 'sign_in_method'],

  async prepare({ ctx, input: { password, token, callbackURL } }) {
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    const account = password === undefined ? null : await confirmPassword(ctx, ctx.user.id, password)
    if (!account) assertReauthenticated(ctx.session)
    const isRequest = token === undefined && (!account || (await needsLink(ctx)))
    if (isRequest) await ctx.limiter.consume('delete-link:user', ctx.user.id)
    return { isRequest, account }
  },
  lock: 'caller',
  async change(tx, { ctx, input: { token, callbackURL }, prepared: { isRequest, account } }) {
    const userId = ctx.user.id
    if (account) await assertPasswordUnchanged(tx, account)
    await assertNoOpenUndo(tx, userId)
    if (isRequest) {
      await sendDeletionLink(ctx, tx, ctx.user, callbackURL)
      return { events: [{ action: 'request-account-deletion' }], result: null }
    }
    if (token !== undefined && (await consumeOneTimeToken(tx, 'delete-account', token)).userId !== userId)
      throw new AppError('INVALID_TOKEN')
    await deleteSoleOrganizations(tx, userId)
    // Read again, since the address may have changed since the session was read.
    await deleteAccount(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }))
    return { events: [], result: null }
  },
  answer({ ctx, prepared: { isRequest } }) {
    if (isRequest) return { success: true as const, message: 'Verification email sent' }
    clearSessionCookie(ctx)
    forgetSignInMethod(ctx)
    return { success: true as const, message: 'User deleted' }
  },
})

/** Removing the last factor starts a hold: reading the hold last leaves no moment between the two. */
async function needsLink(ctx: Context & ActiveSession): Promise<boolean> {
  if (ctx.user.twoFactorEnabled || (await hasUsablePasskey(ctx, ctx.db, ctx.user.id))) return true
  const user = await ctx.db.user.findUnique({ where: { id: ctx.user.id } })
  return user !== null && isHeld(user)
}
