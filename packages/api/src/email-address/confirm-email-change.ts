import { isUniqueViolation, type Transaction, type User, type Verification } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { sendEmailChanged } from '../mail/notifications.ts'
import { consumeOneTimeToken, openPayload, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { deleteUnverifiedUser, isSignedUpWith } from '../users/delete-unverified-user.ts'
import { assertSessionLive, lockUser } from '../users/lock-user.ts'
import { hasOpenUndo } from '../users/open-undo.ts'
import { takeUndoSnapshot } from './undo-snapshot.ts'

/**
 * The second half of change-email: the new address has proved itself. The old one gets a link that undoes the change; this
 * browser, if signed in, gets a new session. Null when the same link did it before. INVALID_USER when somebody else is signed in;
 * INVALID_TOKEN when the address changed, or was taken, since the link was sent. UNAUTHORIZED when the browser is signed out and
 * there is a recent sign-up with the address: the link stays good for the account that asked, once it is signed in.
 */
export async function confirmEmailChange(
  ctx: Context,
  link: Verification & { user: User | null },
  token: string,
): Promise<User | null> {
  const active = await ctx.findSession()
  if (active && active.user.id !== link.userId) throw new AppError('INVALID_USER')

  const confirm = () =>
    ctx.db.$transaction(async (tx) => {
      await lockUser(tx, link.userId)
      // Pressed twice: the other press was first.
      if (await isDone(tx, link)) return { user: null, renewed: null }
      const consumed = await consumeOneTimeToken(tx, 'change-email', token)
      await freeAddress(tx, consumed, active)
      const changed = await replaceAddress(ctx, tx, consumed)
      return { user: changed, renewed: active && (await renewSession(ctx, tx, active.session.id)) }
    })
  const { user, renewed } = await confirm()
    .catch((error: unknown) => {
      // A sign-up took the address at this moment: the second try sees and removes it.
      if (isUniqueViolation(error)) return confirm()
      throw error
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

/**
 * Removes an unverified sign-up with the new address. While its own link could still be followed, or when it came after this link,
 * it may be the mailbox owner's, and this link an attacker's: only a browser that is signed in to the account that asked removes it.
 */
async function freeAddress(tx: Transaction, { email, createdAt }: Verification, active: ActiveSession | null): Promise<void> {
  if (email === null) throw new AppError('INVALID_TOKEN')
  if (active) {
    await assertSessionLive(tx, active.session)
    return deleteUnverifiedUser(tx, email)
  }
  await deleteUnverifiedUser(tx, email, new Date(createdAt.getTime() - policy.verifyEmail.lifetime * 1000))
  if (await isSignedUpWith(tx, email)) throw new AppError('UNAUTHORIZED')
}

async function replaceAddress(ctx: Context, tx: Transaction, link: Verification): Promise<User> {
  const { userId, email } = link
  if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
  const former = openPayload(ctx, link)
  const [changed] = await tx.user.updateManyAndReturn({
    where: { id: userId, email: former, suspendedAt: null },
    data: { email, emailVerified: true },
  })
  if (!changed) throw new AppError('INVALID_TOKEN')
  // Links that were sent to the former address must not speak for the new one.
  await voidOneTimeTokens(tx, userId, ['verify-email', 'reset-password', 'change-email', 'delete-account', 'reauthenticate'])
  // An address that replaced another one within the week may be a thief's, and must not take the account back.
  const snapshot = (await hasOpenUndo(tx, userId)) ? null : await takeUndoSnapshot(tx, changed)
  await sendEmailChanged(ctx, tx, { ...changed, email: former }, { newEmail: email, snapshot })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'change-email' })
  return changed
}
