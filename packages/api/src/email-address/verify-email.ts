import type { Transaction, Verification } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailPasswordCleared, type PendingSignUp } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { consumeOneTimeToken, openSealed } from '../security/one-time-tokens.ts'
import { hashToken } from '../security/random-token.ts'
import { assertRedirectTarget } from '../security/redirect-target.ts'
import { presentUser } from '../sessions/present-session.ts'
import { publicProcedure } from '../trpc.ts'
import { confirmEmailChange } from './confirm-email-change.ts'
import { verifyEmailInput } from './contract.ts'

/**
 * Proves an address with the token that was mailed to it: a sign-up's, or the new one of change-email (then the answer holds the
 * user). Spec: Email. INVALID_TOKEN, TOKEN_EXPIRED, INVALID_USER. A used link whose address is proved by now succeeds again
 * without effect: people click twice, and mail scanners click first.
 */
export const verifyEmail = publicProcedure.input(verifyEmailInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('verify-email:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  const known = await ctx.db.verification.findUnique({ where: { secretHash: hashToken(input.token) }, include: { user: true } })
  const changed = known?.purpose === 'change-email' ? await confirmEmailChange(ctx, known, input.token) : null
  if (known?.purpose !== 'change-email') await proveSignUp(ctx, known?.userId ?? null, input.token)
  ctx.mail.wake()
  return { status: true as const, user: changed && presentUser(changed) }
})

const proveSignUp = (ctx: Context, userId: string | null, token: string): Promise<void> =>
  ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    if (await isProvedAlready(tx, token)) return
    await markVerified(ctx, tx, await consumeOneTimeToken(tx, 'verify-email', token))
  })

async function isProvedAlready(tx: Transaction, token: string): Promise<boolean> {
  const known = await tx.verification.findUnique({ where: { secretHash: hashToken(token) }, include: { user: true } })
  const isUsedLink = known?.purpose === 'verify-email' && known.usedAt !== null
  return isUsedLink && known.user?.email === known.email && known.user?.emailVerified === true
}

async function markVerified(ctx: Context, tx: Transaction, { userId, email, payloadSealed }: Verification): Promise<void> {
  if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
  const pending = payloadSealed === null ? null : (JSON.parse(openSealed(ctx, payloadSealed)) as PendingSignUp)
  // Conditional: an address that changed since, or was proved by another sign-up's link, is not touched.
  const { count } = await tx.user.updateMany({
    where: { id: userId, email, emailVerified: false },
    data: { emailVerified: true, ...(pending && { name: pending.name }) },
  })
  if (count === 0) throw new AppError('INVALID_TOKEN')
  await settlePassword(ctx, tx, userId, pending)
  await tx.verification.updateMany({ where: { userId, purpose: 'verify-email', usedAt: null }, data: { usedAt: new Date() } })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'verify-email' })
}

/**
 * The password of the sign-up whose link was followed counts. A link that was asked for later belongs to no sign-up: when there
 * were several, nobody can tell whose password is the owner's, so none counts and the owner is mailed a link to choose one.
 */
async function settlePassword(ctx: Context, tx: Transaction, userId: string, pending: PendingSignUp | null): Promise<void> {
  const password = { where: { userId, providerId: 'credential' } }
  if (pending) {
    await tx.account.updateMany({ ...password, data: { passwordHash: pending.passwordHash } })
    return
  }
  const signUps = await tx.verification.count({ where: { userId, purpose: 'verify-email', payloadSealed: { not: null } } })
  if (signUps < 2) return
  await tx.account.updateMany({ ...password, data: { passwordHash: null } })
  await mailPasswordCleared(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }))
}
