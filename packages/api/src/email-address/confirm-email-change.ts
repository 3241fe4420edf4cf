import { isUniqueViolation, type Transaction, type User, type Verification } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { type Mails, sendEmailChanged } from '../mail/notifications.ts'
import { consumeOneTimeToken, openPayload, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { deleteUnverifiedUser, hasUnverifiedUser } from '../users/delete-unverified-user.ts'
import { assertSessionLive, lockUser, requireUnlocked } from '../users/lock-user.ts'
import { hasOpenUndo } from '../users/open-undo.ts'
import { startHold } from '../users/start-hold.ts'
import { takeUndoSnapshot } from './undo-snapshot.ts'

type ChangeContext = Context & Records<'change-email'> & Mails<'email-changed'>

/** Changes the email address; null when this link already did so. INVALID_USER, INVALID_TOKEN, UNAUTHORIZED. */
export async function confirmEmailChange(
  ctx: ChangeContext & SetsCookies<'session'>,
  link: Verification & { user: User | null },
  token: string,
): Promise<User | null> {
  const active = await ctx.findSession()
  if (active && active.user.id !== link.userId) throw new AppError('INVALID_USER')

  const confirm = () =>
    ctx.db.$transaction(async (tx) => {
      await lockUser(tx, link.userId)
      if (await isAlreadyDone(tx, link)) return { user: null, renewed: null }
      await requireUnlocked(tx, link.userId ?? '')
      const consumed = await consumeOneTimeToken(tx, 'change-email', token)
      await releaseAddress(tx, consumed, active)
      const changed = await replaceAddress(ctx, tx, consumed)
      return { user: changed, renewed: active && (await renewSession(ctx, tx, active.session.id)) }
    })
  const { user, renewed } = await confirm()
    .catch((error: unknown) => {
      // A concurrent sign-up took the address: the second try removes that sign-up.
      if (isUniqueViolation(error)) return confirm()
      throw error
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('INVALID_TOKEN', { cause: error }) : error
    })
  if (renewed) setSessionCookie(ctx, renewed.token, renewed.session)
  return user
}

const isAlreadyDone = async (tx: Transaction, { id, email, userId }: Verification): Promise<boolean> =>
  (await tx.verification.count({ where: { id, usedAt: { not: null } } })) > 0 &&
  (await tx.user.count({ where: { id: userId ?? '', email: email ?? '' } })) > 0

/** A recent sign-up may be the mailbox owner's: deleting one requires a session of the account that requested the change. */
async function releaseAddress(tx: Transaction, { email, createdAt }: Verification, active: ActiveSession | null): Promise<void> {
  if (email === null) throw new AppError('INVALID_TOKEN')
  if (active) {
    await assertSessionLive(tx, active.session)
    return deleteUnverifiedUser(tx, email)
  }
  await deleteUnverifiedUser(tx, email, new Date(createdAt.getTime() - policy.verifyEmail.lifetime * 1000))
  if (await hasUnverifiedUser(tx, email)) throw new AppError('UNAUTHORIZED')
}

async function replaceAddress(ctx: ChangeContext, tx: Transaction, link: Verification): Promise<User> {
  const { userId, email } = link
  if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
  const former = openPayload(ctx, link)
  const [changed] = await tx.user.updateManyAndReturn({
    where: { id: userId, email: former, suspendedAt: null },
    data: { email, emailVerified: true },
  })
  if (!changed) throw new AppError('INVALID_TOKEN')
  await voidOneTimeTokens(tx, userId, ['verify-email', 'reset-password', 'change-email', 'delete-account', 'reauthenticate'])
  await startHold(ctx, tx, userId, 'change-email')
  // Each former address gets a link. That of the earlier address voids the later ones, so the owner's wins.
  // After a return to an address that has one, the address in between may be a thief's.
  const snapshot = (await hasOpenUndo(tx, userId, { email })) ? null : await takeUndoSnapshot(tx, changed)
  await sendEmailChanged(ctx, tx, { ...changed, email: former }, { newEmail: email, cause: 'change', snapshot })
  await ctx.record(tx, { userId, action: 'change-email' })
  return changed
}
