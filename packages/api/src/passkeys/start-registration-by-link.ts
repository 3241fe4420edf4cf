import { customMutation } from '../mutation.ts'
import { transact } from '../transact.ts'
import { startRegistrationByLinkInput } from './contract.ts'
import { issueRegistrationOptions } from './registration-options.ts'
import { lockSignUp } from './sign-up-link.ts'

/** For the first passkey of a sign-up: `context` is the token of the emailed link. INVALID_TOKEN, TOKEN_EXPIRED. */
export const startRegistrationByLink = customMutation({
  access: 'public',
  sensitive: false,
  input: startRegistrationByLinkInput,
  limit: 'passkey:ip',
  lock: 'own',
  events: [],
  mails: [],
  cookies: ['passkey'],

  run: ({ ctx, input }) =>
    transact(
      ctx,
      (tx) => lockSignUp(tx, input.context),
      async (tx, user) => ({ events: [], result: await issueRegistrationOptions(ctx, tx, user, input, input.context) }),
    ),
})
