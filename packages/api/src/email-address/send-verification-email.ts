import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { type Mails, sendVerificationLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { lockUser } from '../users/lock-user.ts'
import { sendVerificationEmailInput } from './contract.ts'

/** Signed out, every address gets the same answer after the same time (ADR 010). EMAIL_MISMATCH, EMAIL_ALREADY_VERIFIED. */
export const sendVerificationEmail = customMutation({
  access: 'public',
  sensitive: false,
  input: sendVerificationEmailInput,
  limit: 'send-mail:ip',
  lock: 'own',
  events: [],
  mails: ['verify-email'],
  cookies: [],

  async run({ ctx, input: { email, callbackURL } }) {
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    const active = await ctx.findSession()
    if (active && active.user.email !== email) throw new AppError('EMAIL_MISMATCH')
    if (active?.user.emailVerified) throw new AppError('EMAIL_ALREADY_VERIFIED')

    await ctx.responseFloor.withMinDuration(() => sendLinkIfUnverified(ctx, email, callbackURL))
    return { status: true as const }
  },
})

async function sendLinkIfUnverified(
  ctx: Context & Mails<'verify-email'>,
  email: string,
  callbackURL: string | undefined,
): Promise<void> {
  const user = await ctx.db.user.findUnique({ where: { email, emailVerified: false, suspendedAt: null } })
  if (!user || !(await ctx.limiter.allows('send-mail:address', email))) return
  await ctx.db.$transaction(async (tx) => {
    if (!(await lockUser(tx, user.id))) return
    // Renews the sign-up's protection in `releaseAddress`.
    await tx.user.updateMany({ where: { id: user.id, emailVerified: false }, data: { updatedAt: new Date() } })
    await sendVerificationLink(ctx, tx, user, { callbackURL, pending: null })
  })
}
