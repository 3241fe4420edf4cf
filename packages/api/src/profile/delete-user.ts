import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailAccountDeleted, mailDeletionLink } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { confirmPassword, refuseReplacedPassword } from '../security/confirm-password.ts'
import { lockCaller } from '../security/lock-user.ts'
import { consumeOneTimeToken } from '../security/one-time-tokens.ts'
import { assertRedirectTarget } from '../security/redirect-target.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { assertFresh, sessionProcedure } from '../trpc.ts'
import { deleteUserInput } from './contract.ts'

/**
 * Deletes the caller's account and everything of theirs. Spec: Profile. It takes a fresh session and the password, or the token of
 * a mailed link; with neither, that link is mailed. SESSION_NOT_FRESH, INVALID_PASSWORD, CREDENTIAL_ACCOUNT_NOT_FOUND, INVALID_TOKEN,
 * and YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER while an organization has no other owner.
 */
export const deleteUser = sessionProcedure.input(deleteUserInput).mutation(async ({ ctx, input }) => {
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  const { user, db } = ctx
  if (input.password === undefined && input.token === undefined) {
    await ctx.limiter.consume('delete-link:user', user.id)
    await db.$transaction(async (tx) => {
      await lockCaller(tx, ctx)
      await mailDeletionLink(ctx, tx, user)
      await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'request-account-deletion' })
    })
    ctx.mail.wake()
    return { success: true as const, message: 'Verification email sent' }
  }

  if (input.password !== undefined) {
    assertFresh(ctx.session)
  }
  const account = input.password === undefined ? null : await confirmPassword(ctx, user.id, input.password)
  await db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    if (account) await refuseReplacedPassword(tx, account)
    if (input.token !== undefined) {
      const { userId } = await consumeOneTimeToken(tx, 'delete-account', input.token)
      if (userId !== user.id) throw new AppError('INVALID_TOKEN')
    }
    await refuseLastOwner(tx, user.id)
    await deleteEverything(ctx, tx, user)
  })
  clearSessionCookie(ctx)
  ctx.mail.wake()
  return { success: true as const, message: 'User deleted' }
})

/** The locks make two owners who leave at once take turns: the second one sees that the first has gone. */
async function refuseLastOwner(tx: Transaction, userId: string): Promise<void> {
  const owned = await tx.$queryRaw<{ id: string }[]>`
    SELECT o.id FROM organizations o JOIN members m ON m.organization_id = o.id
    WHERE m.user_id = ${userId} AND m.role = 'owner' ORDER BY o.id FOR UPDATE OF o`
  for (const { id } of owned) {
    const others = await tx.member.count({ where: { organizationId: id, role: 'owner', userId: { not: userId } } })
    if (others === 0) throw new AppError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  }
}

/** The foreign keys take the rest: accounts, sessions, tokens, memberships, devices, audit events. */
async function deleteEverything(ctx: Context, tx: Transaction, user: User): Promise<void> {
  await tx.invitation.deleteMany({ where: { email: user.email } })
  const { count } = await tx.user.deleteMany({ where: { id: user.id } })
  if (count === 0) throw new AppError('UNAUTHORIZED')
  await mailAccountDeleted(ctx, tx, user)
}
