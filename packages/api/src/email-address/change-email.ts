import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendEmailChange } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { transact } from '../transact.ts'
import { lockCaller, requireUnlocked } from '../users/lock-user.ts'
import { changeEmailInput } from './contract.ts'

/** Mails a link to the new address and a notice to the current one. A taken address gets the same answer (ADR 010). */
export const changeEmail = customMutation({
  access: 'reauthenticated',
  sensitive: true,
  input: changeEmailInput,
  limit: 'change-email:user',
  lock: 'caller',
  events: ['request-email-change'],
  mails: ['change-email-confirm', 'email-change-requested'],
  cookies: [],

  async run({ ctx, input: { newEmail, callbackURL } }) {
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    if (newEmail === ctx.user.email) throw new AppError('EMAIL_IS_THE_SAME')

    const mayMail = await ctx.limiter.allows('change-email:address', newEmail)
    await ctx.responseFloor.withMinDuration(() =>
      transact(
        ctx,
        async (tx) => {
          await lockCaller(tx, ctx)
          await requireUnlocked(tx, ctx.user.id)
        },
        async (tx) => {
          const isFree = (await tx.user.count({ where: holdsAddress(newEmail) })) === 0
          await sendEmailChange(ctx, tx, ctx.user, { newEmail, callbackURL, isFree: isFree && mayMail })
          return { events: [{ action: 'request-email-change' }], result: null }
        },
      ),
    )
    return { status: true as const }
  },
})

/** Matches accounts that keep the address when another account verifies it. */
const holdsAddress = (email: string) => ({
  email,
  OR: [{ emailVerified: true }, { importedAt: { not: null } }, { suspendedAt: { not: null } }],
})
