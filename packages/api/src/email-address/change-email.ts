import { AppError } from '../errors.ts'
import { mailEmailChange } from '../mails.ts'
import { policy } from '../policy.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockCaller } from '../security/lock-user.ts'
import { assertRedirectTarget } from '../security/redirect-target.ts'
import { assertFresh, sessionProcedure } from '../trpc.ts'
import { changeEmailInput } from './contract.ts'

/**
 * A signed-in user asks for another address. Spec: Email. Nothing changes until the link in the mail to the new address is
 * followed (verify-email); the present address is told at once. A taken address gets the same answer and no mail; one that
 * somebody signed up with and did not prove in time is not taken.
 * SESSION_NOT_FRESH, EMAIL_IS_THE_SAME.
 */
export const changeEmail = sessionProcedure.input(changeEmailInput).mutation(async ({ ctx, input }) => {
  assertFresh(ctx.session)
  await ctx.limiter.consume('change-email:user', ctx.user.id)
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  if (input.newEmail === ctx.user.email) throw new AppError('EMAIL_IS_THE_SAME')

  const mayMail = await ctx.limiter.allows('send-mail:address', input.newEmail)
  await ctx.quiet.always(() =>
    ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx)
      const isFree = (await tx.user.count({ where: isHolder(input.newEmail, new Date()) })) === 0
      await mailEmailChange(ctx, tx, ctx.user, {
        newEmail: input.newEmail,
        callbackURL: input.callbackURL,
        isFree: isFree && mayMail,
      })
      await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'request-email-change' })
    }),
  )
  ctx.mail.wake()
  return { status: true as const }
})

/** Who has the address, or may be its owner: a sign-up whose link still works could be about to prove it, an imported user at any time. */
const isHolder = (email: string, now: Date) => ({
  email,
  OR: [
    { emailVerified: true },
    { importedAt: { not: null } },
    { updatedAt: { gte: new Date(now.getTime() - policy.verifyEmail.lifetime * 1000) } },
  ],
})
