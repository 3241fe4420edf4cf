import { mutation } from '../mutation.ts'
import { lockUser } from '../users/lock-user.ts'
import { createConfirmationForUserInput } from './contract.ts'
import { assertConfirmable, insertConfirmation } from './insert-confirmation.ts'
import { requireLiveSession } from './require-live-session.ts'

/** For a session that another service names. CONFIRMATION_SESSION_NOT_FOUND; errors of `assertConfirmable`. */
export const createConfirmationForUser = mutation({
  access: 'confirmation:create',
  sensitive: false,
  input: createConfirmationForUserInput,
  limit: null,
  events: [],
  mails: [],
  cookies: [],

  prepare: ({ ctx, input }) => assertConfirmable(ctx, input),
  lock: (tx, { input: { userId } }) => lockUser(tx, userId),
  async change(tx, { ctx, input: { userId, sessionId, ...input } }) {
    await requireLiveSession(tx, userId, sessionId)
    const subject = { userId, sessionHandle: sessionId, createdBy: ctx.service.name }
    return { events: [], result: await insertConfirmation(ctx, tx, subject, input) }
  },
})
