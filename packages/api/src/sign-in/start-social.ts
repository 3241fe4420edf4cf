import { AppError } from '../kernel/errors.ts'
import { startSocialInput } from '../kernel/fields.ts'
import { customMutation } from '../mutation.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'

/** Spec: Sign-in and sign-up. Throws PROVIDER_NOT_FOUND or ID_TOKEN_NOT_SUPPORTED. */
export const startSocial = customMutation({
  access: 'public',
  input: startSocialInput,
  limit: 'social:ip',
  lock: 'none',
  events: [],
  mails: [],
  cookies: ['flow'],

  async run({ ctx, input: { provider, scopes, loginHint, disableRedirect, idToken, ...targets } }) {
    const chosen = requireProvider(ctx, provider)
    if (idToken !== undefined) throw new AppError('ID_TOKEN_NOT_SUPPORTED')
    const url = await beginSocialFlow(ctx, chosen, { targets, scopes, loginHint })
    return { url: url.href, redirect: !disableRedirect }
  },
})
