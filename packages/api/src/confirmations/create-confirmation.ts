import { mutation } from '../mutation.ts'
import { createOwnConfirmationInput } from './contract.ts'
import { assertConfirmable, insertConfirmation } from './insert-confirmation.ts'

/** For the session of the caller. Errors of `assertConfirmable`. */
export const createConfirmation = mutation({
  access: 'session',
  sensitive: false,
  input: createOwnConfirmationInput,
  limit: 'create-confirmation:user',
  events: [],
  mails: [],
  cookies: [],

  prepare: ({ ctx, input }) => assertConfirmable(ctx, input),
  lock: 'caller',
  async change(tx, { ctx, input }) {
    const subject = { userId: ctx.user.id, sessionHandle: ctx.session.handle, createdBy: null }
    return { events: [], result: await insertConfirmation(ctx, tx, subject, input) }
  },
})
