import { mutation } from '../mutation.ts'
import { startUnlock } from '../users/start-unlock.ts'

/** Spec: Protection. Starts the wait that the owner chose. A repeated request does not restart the wait. ACCOUNT_NOT_LOCKED. */
export const requestUnlock = mutation({
  access: 'session',
  sensitive: false,
  input: null,
  limit: 'change-protection:ip',
  events: ['request-unlock'],
  mails: ['unlock-requested'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx }) {
    const { unlockAt, isNew } = await startUnlock(ctx, tx, ctx.user.id, { byOperator: false })
    return { events: isNew ? [{ action: 'request-unlock' }] : [], result: { unlockAt } }
  },
})
