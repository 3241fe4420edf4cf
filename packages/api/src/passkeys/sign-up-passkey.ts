import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { sendCreatePasskeyLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { beginSignUp } from '../sign-in/begin-sign-up.ts'
import { buildUnverifiedUser } from '../users/build-unverified-user.ts'
import { signUpPasskeyInput } from './contract.ts'
import { requireRelyingParty } from './passkey-challenge.ts'

/** Signs up without a password: mails a link that creates the first passkey. A taken email gets the same response in the same time. */
export const signUpPasskey = customMutation({
  access: 'public',
  sensitive: false,
  input: signUpPasskeyInput,
  limit: 'sign-up:ip',
  lock: 'own',
  events: ['sign-up'],
  mails: ['create-passkey', 'already-registered'],
  cookies: [],

  async run({ ctx, input }) {
    requireRelyingParty(ctx)
    const { callbackURL } = input
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    const user = buildUnverifiedUser(ctx, input)
    await ctx.responseFloor.withMinDuration(() =>
      beginSignUp(ctx, user, {
        passwordHash: null,
        password: null,
        callbackURL,
        sendLink: (tx, user, pending) => sendCreatePasskeyLink(ctx, tx, user, { callbackURL, pending }),
      }),
    )
    return { status: true as const }
  },
})
