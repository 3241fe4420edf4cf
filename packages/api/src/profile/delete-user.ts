import type { Transaction, User } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendAccountDeleted, sendDeletionLink } from '../mail/notifications.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { deleteUserInput } from './contract.ts'

/** Deletes the caller's account, given the password or a mailed token; with neither, mails the link. Errors: docs/specs/profile.md. */
export const deleteUser = sessionProcedure.input(deleteUserInput).mutation(async ({ ctx, input }) => {
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  const { user, db } = ctx
  if (input.password === undefined) assertReauthenticated(ctx.session)
  if (input.password === undefined && input.token === undefined) {
    await ctx.limiter.consume('delete-link:user', user.id)
    await db.$transaction(async (tx) => {
      await lockCaller(tx, ctx)
      await assertNoOpenUndo(tx, user.id)
      await sendDeletionLink(ctx, tx, user)
      await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'request-account-deletion' })
    })
    ctx.mail.wake()
    return { success: true as const, message: 'Verification email sent' }
  }

  const account = input.password === undefined ? null : await confirmPassword(ctx, user.id, input.password)
  await db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    if (account) await assertPasswordUnchanged(tx, account)
    await assertNoOpenUndo(tx, user.id)
    if (input.token !== undefined) {
      const { userId } = await consumeOneTimeToken(tx, 'delete-account', input.token)
      if (userId !== user.id) throw new AppError('INVALID_TOKEN')
    }
    await deleteSoleOrganizations(tx, user.id)
    // Read again, since the address may have changed since the session was read.
    await deleteAccount(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: user.id } }))
  })
  clearSessionCookie(ctx)
  ctx.mail.wake()
  return { success: true as const, message: 'User deleted' }
})

/** Throws when a shared organization would lose its last accepted owner. The locks serialize two leaving owners. */
async function deleteSoleOrganizations(tx: Transaction, userId: string): Promise<void> {
  const owned = await tx.$queryRaw<{ id: string; slug: string }[]>`
    SELECT o.id, o.slug FROM organizations o JOIN members m ON m.organization_id = o.id
    WHERE m.user_id = ${userId} AND m.role = 'owner' ORDER BY o.id FOR UPDATE OF o`
  const others = await tx.member.findMany({
    where: { organizationId: { in: owned.map(({ id }) => id) }, userId: { not: userId } },
  })
  const hasOthers = ({ id }: { id: string }) => others.some(({ organizationId }) => organizationId === id)
  const hasOwner = ({ id }: { id: string }) =>
    others.some(({ organizationId, role, acceptedAt }) => organizationId === id && role === 'owner' && acceptedAt !== null)

  const orphaned = owned.filter((organization) => hasOthers(organization) && !hasOwner(organization))
  if (orphaned.length > 0) {
    const organizations = orphaned.map(({ slug }) => slug)
    throw new AppError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', { organizations })
  }
  const empty = owned.filter((organization) => !hasOthers(organization))
  await tx.organization.deleteMany({ where: { id: { in: empty.map(({ id }) => id) } } })
}

/** Foreign keys cascade to the account's other rows. */
async function deleteAccount(ctx: Context, tx: Transaction, user: User): Promise<void> {
  await tx.invitation.deleteMany({ where: { OR: [{ email: user.email }, { inviterId: user.id, status: 'pending' }] } })
  // Every transaction locks devices before sessions. The cascade would use the other order.
  await tx.trustedDevice.deleteMany({ where: { userId: user.id } })
  const { count } = await tx.user.deleteMany({ where: { id: user.id } })
  if (count === 0) throw new AppError('UNAUTHORIZED')
  await sendAccountDeleted(ctx, tx, user)
}
