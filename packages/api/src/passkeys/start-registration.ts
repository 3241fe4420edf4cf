import { customMutation } from '../mutation.ts'
import { assertBothFactors } from '../reauthentication/reauthentication.ts'
import { transact } from '../transact.ts'
import { lockCaller } from '../users/lock-user.ts'
import { startRegistrationInput } from './contract.ts'
import { issueRegistrationOptions } from './registration-options.ts'

/** SESSION_NOT_FRESH. */
export const startRegistration = customMutation({
  access: 'reauthenticated',
  input: startRegistrationInput,
  limit: 'passkey:ip',
  lock: 'caller',
  events: [],
  mails: [],
  cookies: ['passkey'],

  async run({ ctx, input }) {
    assertBothFactors(ctx)
    return transact(
      ctx,
      (tx) => lockCaller(tx, ctx),
      async (tx) => ({ events: [], result: await issueRegistrationOptions(ctx, tx, ctx.user, input) }),
    )
  },
})
