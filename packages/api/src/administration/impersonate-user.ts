import { keepAdministratorSession } from '../cookies/administrator-session.ts'
import { AppError } from '../kernel/errors.ts'
import { sendImpersonated } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { presentSession, presentUser } from '../sessions/present-session.ts'
import { findSessionToken, setSessionCookie, startImpersonation } from '../sessions/session-store.ts'
import { impersonateUserInput } from './contract.ts'
import { asOperator } from './operator.ts'

/** Opens an account to read it (ADR 056). Mails the user. USER_NOT_FOUND, USER_SUSPENDED, YOU_CANNOT_IMPERSONATE_ADMINS. */
export const impersonateUser = mutation({
  access: 'user:impersonate',
  sensitive: true,
  input: impersonateUserInput,
  limit: null,
  events: ['impersonate-user'],
  mails: ['impersonated'],
  cookies: ['session', 'admin_session'],

  lock: (tx, { ctx, input }) => asOperator(ctx, 'user:impersonate').lockSubject(tx, input.userId),
  async change(tx, { ctx, input: { userId, reason } }) {
    const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    if (user.role !== null) throw new AppError('YOU_CANNOT_IMPERSONATE_ADMINS')
    if (user.suspendedAt !== null) throw new AppError('USER_SUSPENDED')
    const { session, token } = await startImpersonation(ctx, tx, userId)
    await sendImpersonated(ctx, tx, user, { reason, session })
    const event = { userId, actorId: ctx.user.id, action: 'impersonate-user', details: { reason } } as const
    return { events: [event], result: { user, session, token } }
  },
  answer({ ctx, result: { user, session, token } }) {
    keepAdministratorSession(ctx, findSessionToken(ctx) ?? '')
    setSessionCookie(ctx, token, session)
    return { session: presentSession(session), user: presentUser(user) }
  },
})
