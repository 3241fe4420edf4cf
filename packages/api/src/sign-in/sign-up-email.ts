import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendVerificationLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { presentUser } from '../sessions/present-session.ts'
import { buildUnverifiedUser } from '../users/build-unverified-user.ts'
import { beginSignUp } from './begin-sign-up.ts'
import { signUpEmailInput } from './contract.ts'

/** Spec: Sign-in and sign-up. A taken email gets the same response in the same time. */
export const signUpEmail = customMutation({
  access: 'public',
  sensitive: false,
  input: signUpEmailInput,
  limit: 'sign-up:ip',
  lock: 'own',
  events: ['sign-up'],
  mails: ['verify-email', 'already-registered'],
  cookies: [],

  async run({ ctx, input }) {
    const { password, callbackURL } = input
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    await assertPasswordAllowed(password, { ...input, appName: ctx.settings.appName }, 'password')

    const user = buildUnverifiedUser(ctx, input)
    await ctx.responseFloor.withMinDuration(async () =>
      beginSignUp(ctx, user, {
        passwordHash: await ctx.passwords.hash(password),
        password,
        callbackURL,
        sendLink: (tx, user, pending) => sendVerificationLink(ctx, tx, user, { callbackURL, pending }),
      }),
    )
    return { token: null, user: presentUser(user) }
  },
})
