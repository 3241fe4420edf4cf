import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendResetLink } from '../mail/notifications.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUser } from '../users/lock-user.ts'
import { requestPasswordResetInput } from './contract.ts'

/** Spec: Passwords, row forget-password. Response and timing do not reveal whether the email has an account. */
export const requestPasswordReset = publicProcedure.input(requestPasswordResetInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('send-mail:ip')
  assertRedirectTarget(input.redirectTo, ctx.settings.trustedOrigins, 'INVALID_REDIRECT_URL')
  await ctx.responseFloor.withMinDuration(() => sendLinkIfRegistered(ctx, input.email, input.redirectTo))
  return { status: true as const, message: 'If this email exists in our system, check your email for the reset link' }
})

async function sendLinkIfRegistered(ctx: Context, email: string, redirectTo: string | undefined): Promise<void> {
  const user = await ctx.db.user.findUnique({ where: { email, suspendedAt: null } })
  if (!user || !(await ctx.limiter.allows('send-reset:address', email))) return
  await ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, user.id))) return
    await sendResetLink(ctx, tx, user, redirectTo)
    await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'request-password-reset' })
  })
  ctx.mail.wake()
}
