import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendEmailChange } from '../mail/notifications.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { changeEmailInput } from './contract.ts'

/** Mails a link to the new address and a notice to the current one. A taken address gets the same answer (ADR 010). */
export const changeEmail = sessionProcedure.input(changeEmailInput).mutation(async ({ ctx, input }) => {
  assertReauthenticated(ctx.session)
  await ctx.limiter.consume('change-email:user', ctx.user.id)
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  if (input.newEmail === ctx.user.email) throw new AppError('EMAIL_IS_THE_SAME')

  const mayMail = await ctx.limiter.allows('change-email:address', input.newEmail)
  await ctx.responseFloor.withMinDuration(() =>
    ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx)
      const isFree = (await tx.user.count({ where: holdsAddress(input.newEmail) })) === 0
      await sendEmailChange(ctx, tx, ctx.user, {
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

/** Matches accounts that keep the address when another account verifies it. */
const holdsAddress = (email: string) => ({
  email,
  OR: [{ emailVerified: true }, { importedAt: { not: null } }, { suspendedAt: { not: null } }],
})
