import type { Transaction, Verification } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import type { PendingProfile } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import { presentUser } from '../sessions/present-session.ts'
import { lockUser } from '../users/lock-user.ts'
import { hasClearedPassword, markEmailVerified, type VerifyContext } from '../users/mark-email-verified.ts'
import { confirmEmailChange } from './confirm-email-change.ts'
import { verifyEmailInput } from './contract.ts'

/** A used link succeeds again: people click twice, and scanners click first. INVALID_TOKEN, TOKEN_EXPIRED, INVALID_USER. */
export const verifyEmail = customMutation({
  access: 'public',
  sensitive: 'in-part',
  input: verifyEmailInput,
  limit: 'verify-email:ip',
  lock: 'own',
  events: ['verify-email', 'change-email'],
  mails: ['password-cleared', 'email-changed'],
  cookies: ['session'],

  async run({ ctx, input: { token, callbackURL } }) {
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    const link = await ctx.db.verification.findUnique({ where: { secretHash: hashToken(token) }, include: { user: true } })
    const isChange = link?.purpose === 'change-email'
    const changed = isChange ? await confirmEmailChange(ctx, link, token) : null
    const isCleared = !isChange && (await verifySignUp(ctx, link?.userId ?? null, token))
    return { status: true as const, user: changed && presentUser(changed), ...(isCleared && { passwordCleared: true as const }) }
  },
})

const verifySignUp = (ctx: VerifyContext, userId: string | null, token: string): Promise<boolean> =>
  ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const isRepeated = await isAlreadyVerified(tx, token)
    return isRepeated
      ? hasClearedPassword(tx, userId ?? '')
      : consumeVerificationLink(ctx, tx, await consumeOneTimeToken(tx, 'verify-email', token))
  })

async function isAlreadyVerified(tx: Transaction, token: string): Promise<boolean> {
  const known = await tx.verification.findUnique({ where: { secretHash: hashToken(token) }, include: { user: true } })
  const isUsedLink = known?.purpose === 'verify-email' && known.usedAt !== null
  return isUsedLink && known.user?.email === known.email && known.user?.emailVerified === true
}

async function consumeVerificationLink(ctx: VerifyContext, tx: Transaction, link: Verification): Promise<boolean> {
  const { userId, email, payloadSealed } = link
  if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
  const pending = payloadSealed === null ? null : (JSON.parse(openPayload(ctx, link)) as PendingProfile)
  const verified = await markEmailVerified(ctx, tx, { userId, email, ...(pending && { pending }) })
  if (!verified) throw new AppError('INVALID_TOKEN')
  return verified.isCleared
}
