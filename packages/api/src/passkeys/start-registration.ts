import { mutation } from '../mutation.ts'
import { assertBothFactors } from '../reauthentication/reauthentication.ts'
import { startRegistrationInput } from './contract.ts'
import { issueRegistrationOptions } from './registration-options.ts'

/** SESSION_NOT_FRESH. */
export const startRegistration = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: startRegistrationInput,
  limit: 'passkey:ip',
  events: [],
  mails: [],
  cookies: ['passkey'],

  prepare: ({ ctx }) => assertBothFactors(ctx),
  lock: 'caller',
  change: async (tx, { ctx, input }) => ({ events: [], result: await issueRegistrationOptions(ctx, tx, ctx.user, input) }),
})
