import { isUniqueViolation, type Transaction, type User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailPasswordCleared } from '../mails.ts'
import { policy } from '../policy.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { cancelSentInvitations } from '../security/cancel-sent-invitations.ts'
import { lockUser } from '../security/lock-user.ts'
import { consumeOneTimeToken, findOneTimeToken, voidOneTimeTokens } from '../security/one-time-tokens.ts'
import { clearPassword } from '../security/password-account.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { undoEmailChangeInput } from './contract.ts'

/**
 * The former address takes its account back, with the link it was mailed: the address is restored whatever it is by now, every
 * session, device, linked account, link and the password end, and a reset link goes to the restored address. Whoever changed it
 * keeps nothing: a second factor, or backup codes, from up to seven days before the change go too; an older factor stays. Open
 * invitations that the account sent are void, since a stranger may hold their links; memberships stay. INVALID_TOKEN,
 * TOKEN_EXPIRED; EMAIL_TAKEN while a later account, or an imported one, has the address: the link then stays good.
 */
export const undoEmailChange = publicProcedure.input(undoEmailChangeInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('verify-email:ip')
  await takeBack(ctx, input.token).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error
    // Somebody signed up with the freed address at this very moment: unproved, they are seen, and go, the second time.
    return takeBack(ctx, input.token)
  })
  clearSessionCookie(ctx)
  ctx.mail.wake()
  return { status: true as const }
})

const takeBack = (ctx: Context, token: string): Promise<void> =>
  ctx.db.$transaction(async (tx) => {
    await lockUser(tx, (await findOneTimeToken(tx, 'undo-email-change', token)).userId)
    const { userId, email, createdAt, expiresAt } = await consumeOneTimeToken(tx, 'undo-email-change', token)
    if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
    const user = await restoreAddress(tx, userId, email)
    await clearPassword(tx, userId)
    // Whoever took the account over may have linked a way in before they changed the address: none of them counts.
    await tx.account.deleteMany({ where: { userId, providerId: { not: 'credential' } } })
    await dropRecentFactor(tx, userId, new Date(createdAt.getTime() - policy.undoEmailChange.lifetime * 1000))
    await tx.trustedDevice.deleteMany({ where: { userId } })
    await tx.session.deleteMany({ where: { userId } })
    const canceledInvitations = await cancelSentInvitations(tx, userId)
    await voidOneTimeTokens(tx, userId, ['verify-email', 'reset-password', 'change-email', 'delete-account', 'two-factor'])
    // Only later links: who took the account over and moved it twice holds one too, and must not void the owner's with it.
    await tx.verification.deleteMany({
      where: { userId, purpose: 'undo-email-change', usedAt: null, expiresAt: { gte: expiresAt } },
    })
    await recordAuditEvent(tx, ctx.client, { userId, action: 'undo-email-change', details: { canceledInvitations } })
    await mailPasswordCleared(ctx, tx, user)
  })

/**
 * A factor that came to count shortly before the change, or since, may be the stranger's, whenever it was prepared. An older one may
 * be all that keeps a stolen mailbox out.
 */
async function dropRecentFactor(tx: Transaction, userId: string, since: Date): Promise<void> {
  const { count } = await tx.twoFactor.deleteMany({
    where: { userId, OR: [{ confirmedAt: null }, { confirmedAt: { gte: since } }] },
  })
  await tx.backupCode.deleteMany({ where: { userId, ...(count === 0 && { createdAt: { gte: since } }) } })
  if (count > 0) await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } })
}

async function restoreAddress(tx: Transaction, userId: string, email: string): Promise<User> {
  // Whoever changed the address may have signed up with the freed one, to stand in the way. Unproved, it is nobody's.
  await tx.user.deleteMany({ where: { email, emailVerified: false, suspendedAt: null, importedAt: null, id: { not: userId } } })
  const holder = await tx.user.findUnique({ where: { email } })
  if (holder && holder.id !== userId) throw new AppError('EMAIL_TAKEN')
  const [user] = await tx.user.updateManyAndReturn({ where: { id: userId }, data: { email, emailVerified: true } })
  if (!user) throw new AppError('INVALID_TOKEN')
  return user
}
