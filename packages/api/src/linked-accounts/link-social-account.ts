import { customMutation } from '../mutation.ts'
import { startSocialFlow } from '../social/social-flow.ts'
import { linkSocialAccountInput } from './contract.ts'

/** Starts linking a social provider, whose email address may differ from the account's. SESSION_NOT_FRESH. */
export const linkSocialAccount = customMutation({
  access: 'reauthenticated',
  sensitive: true,
  input: linkSocialAccountInput,
  limit: 'social:ip',
  lock: 'own',
  events: [],
  mails: [],
  cookies: ['flow'],

  run: ({ ctx, input }) => startSocialFlow(ctx, input, { userId: ctx.user.id, sessionId: ctx.session.id }),
})
