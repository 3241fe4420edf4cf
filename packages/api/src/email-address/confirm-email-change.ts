import { isUniqueViolation, type Transaction, type User, type Verification } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailUndoLink } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { consumeOneTimeToken, openSealed, voidOneTimeTokens } from '../security/one-time-tokens.ts'
import { removeUnproved } from '../security/remove-unproved.ts'
import { setSessionCookie, startSession } from '../sessions/session-store.ts'

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
  if (link.usedAt !== null && link.user?.email === link.email) return null

  const { user, renewed } = await ctx.db
    .$transaction(async (tx) => {
      await lockUser(tx, link.userId)
      const changed = await replaceAddress(ctx, tx, await consumeOneTimeToken(tx, 'change-email', token))
      // A session that ended meanwhile gets no successor.
      const { session } = active ?? {}
      const isLive = session !== undefined && (await tx.session.count({ where: { id: session.id } })) === 1
      const renewal = isLive && {
        userId: changed.id,
        remember: session.remember,
        provedAt: session.createdAt,
        trustedDeviceId: session.trustedDeviceId,
      }
      return { user: changed, renewed: renewal && (await startSession(ctx, tx, renewal)) }
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('INVALID_TOKEN', { cause: error }) : error
    })
  if (renewed) setSessionCookie(ctx, renewed.token, renewed.session)
  ctx.mail.wake()
  return user
}

async function replaceAddress(
  ctx: Context,
  tx: Transaction,
  { userId, email, payloadSealed, createdAt }: Verification,
): Promise<User> {
  if (userId === null || email === null || payloadSealed === null) throw new AppError('INVALID_TOKEN')
  const former = openSealed(ctx, payloadSealed)
  // Who signed up after the link was sent may be the address's owner: then the link attaches it to nobody else's account.
  await removeUnproved(tx, email, createdAt)
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
