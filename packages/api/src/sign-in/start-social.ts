import { startSocialInput } from '../kernel/fields.ts'
import { customMutation } from '../mutation.ts'
import { startSocialFlow } from '../social/social-flow.ts'

/** Spec: Sign-in and sign-up. Throws PROVIDER_NOT_FOUND or ID_TOKEN_NOT_SUPPORTED. */
export const startSocial = customMutation({
  access: 'public',
  sensitive: false,
  input: startSocialInput,
  limit: 'social:ip',
  lock: 'none',
  events: [],
  mails: [],
  cookies: ['flow'],

  run: ({ ctx, input }) => startSocialFlow(ctx, input),
})
