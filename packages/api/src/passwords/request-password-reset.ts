import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendResetLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { transact } from '../transact.ts'
import { lockUser } from '../users/lock-user.ts'
import { requestPasswordResetInput } from './contract.ts'

/** Spec: Passwords, row forget-password. Response and timing do not reveal whether the email has an account. */
export const requestPasswordReset = customMutation({
  access: 'public',
  sensitive: false,
  input: requestPasswordResetInput,
  limit: 'send-mail:ip',
  lock: 'own',
  events: ['request-password-reset'],
  mails: ['reset-password'],
  cookies: [],

  async run({ ctx, input: { email, redirectTo } }) {
    assertRedirectTarget(redirectTo, ctx.settings.trustedOrigins, 'INVALID_REDIRECT_URL')
    await ctx.responseFloor.withMinDuration(async () => {
      const user = await ctx.db.user.findUnique({ where: { email, suspendedAt: null } })
      if (!user || !(await ctx.limiter.allows('send-reset:address', email))) return
      await transact(
        ctx,
        (tx) => lockUser(tx, user.id),
        async (tx, exists) => {
          if (!exists) return { events: [], result: null }
          await sendResetLink(ctx, tx, user, redirectTo)
          return { events: [{ userId: user.id, action: 'request-password-reset' }], result: null }
        },
      )
    })
    return { status: true as const, message: 'If this email exists in our system, check your email for the reset link' }
  },
})
