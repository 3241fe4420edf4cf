import { isUniqueViolation, type Transaction, type User, type Verification } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailUndoLink } from '../mails.ts'
import { policy } from '../policy.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { consumeOneTimeToken, openSealed, voidOneTimeTokens } from '../security/one-time-tokens.ts'
import { removeUnproved } from '../security/remove-unproved.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'

/**
 * The second half of change-email: the new address has proved itself. The old one gets a link that undoes the change; this
 * browser, if signed in, gets a new session. Null when the same link did it before. INVALID_USER when somebody else is signed in;
 * INVALID_TOKEN when the address changed, or was taken, since the link was sent.
 */
export async function confirmEmailChange(
  ctx: Context,
  link: Verification & { user: User | null },
  token: string,
): Promise<User | null> {
  const active = await ctx.findSession()
  if (active && active.user.id !== link.userId) throw new AppError('INVALID_USER')

  const { user, renewed } = await ctx.db
    .$transaction(async (tx) => {
      await lockUser(tx, link.userId)
      // Pressed twice: the other press was first.
      if (await isDone(tx, link)) return { user: null, renewed: null }
      const changed = await replaceAddress(ctx, tx, await consumeOneTimeToken(tx, 'change-email', token))
      return { user: changed, renewed: active && (await renewSession(ctx, tx, active.session.id)) }
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('INVALID_TOKEN', { cause: error }) : error
    })
  if (renewed) setSessionCookie(ctx, renewed.token, renewed.session)
  ctx.mail.wake()
  return user
}

const isDone = async (tx: Transaction, { id, email, userId }: Verification): Promise<boolean> =>
  (await tx.verification.count({ where: { id, usedAt: { not: null } } })) > 0 &&
  (await tx.user.count({ where: { id: userId ?? '', email: email ?? '' } })) > 0

async function replaceAddress(
  ctx: Context,
  tx: Transaction,
  { userId, email, payloadSealed, createdAt }: Verification,
): Promise<User> {
  if (userId === null || email === null || payloadSealed === null) throw new AppError('INVALID_TOKEN')
  const former = openSealed(ctx, payloadSealed)
  // Whose sign-up could still be proved when the link was sent, or came later, may be the address's owner: then the link attaches
  // it to nobody else's account.
  await removeUnproved(tx, email, new Date(createdAt.getTime() - policy.verifyEmail.lifetime * 1000))
  const [changed] = await tx.user.updateManyAndReturn({
    where: { id: userId, email: former, suspendedAt: null },
    data: { email, emailVerified: true },
  })
  if (!changed) throw new AppError('INVALID_TOKEN')
  // Links that were sent to the former address must not speak for the new one.
  await voidOneTimeTokens(tx, userId, ['verify-email', 'reset-password', 'change-email', 'delete-account'])
  await mailUndoLink(ctx, tx, { ...changed, email: former }, email)
  await recordAuditEvent(tx, ctx.client, { userId, action: 'change-email' })
  return changed
}
