import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'
import { linkSocialAccountInput } from './contract.ts'

/** Starts linking a social provider, whose email address may differ from the account's. SESSION_NOT_FRESH. */
export const linkSocialAccount = customMutation({
  access: 'reauthenticated',
  input: linkSocialAccountInput,
  limit: 'social:ip',
  lock: 'own',
  events: [],
  mails: [],
  cookies: ['flow'],

  async run({ ctx, input: { provider, scopes, loginHint, disableRedirect, idToken, ...targets } }) {
    const chosen = requireProvider(ctx, provider)
    if (idToken !== undefined) throw new AppError('ID_TOKEN_NOT_SUPPORTED')
    const link = { userId: ctx.user.id, sessionId: ctx.session.id }
    const url = await beginSocialFlow(ctx, chosen, { targets, link, scopes, loginHint })
    return { url: url.href, redirect: !disableRedirect }
  },
})
