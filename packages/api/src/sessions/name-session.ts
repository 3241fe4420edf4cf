import { AppError } from '../kernel/errors.ts'
import { mutation } from '../mutation.ts'
import { nameSessionInput } from './contract.ts'

/** Gives the device of one of the caller's sessions a nickname. SESSION_NOT_FOUND, also for a session of another user. */
export const nameSession = mutation({
  access: 'session',
  sensitive: false,
  input: nameSessionInput,
  limit: 'update-user:user',
  events: ['name-session'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { token: handle, nickname } }) {
    const where = { handle, userId: ctx.user.id, expiresAt: { gt: new Date() } }
    const { count } = await tx.session.updateMany({ where, data: { nickname } })
    if (count === 0) throw new AppError('SESSION_NOT_FOUND')
    // Without the nickname, which is personal.
    return { events: [{ action: 'name-session' }], result: { status: true as const } }
  },
})
