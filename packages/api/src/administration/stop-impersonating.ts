import { findAdministratorToken, forgetAdministratorSession } from '../cookies/administrator-session.ts'
import { AppError } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'
import { mutation } from '../mutation.ts'
import { presentSession, presentUser } from '../sessions/present-session.ts'
import { endSession, setSessionCookie } from '../sessions/session-store.ts'
import { lockCaller } from '../users/lock-user.ts'

/** Returns to the administrator's session. Signs out without the cookie of that session. NOT_IMPERSONATING, UNAUTHORIZED. */
export const stopImpersonating = mutation({
  access: 'session',
  whileImpersonated: true,
  sensitive: false,
  input: null,
  limit: null,
  events: ['stop-impersonating'],
  mails: [],
  cookies: ['session', 'admin_session'],

  async lock(tx, { ctx }) {
    const { impersonatedBy } = ctx.session
    if (impersonatedBy === null) throw new AppError('NOT_IMPERSONATING')
    await lockCaller(tx, ctx, [impersonatedBy])
    return impersonatedBy
  },
  async change(tx, { ctx, locked: administratorId }) {
    const token = findAdministratorToken(ctx)
    await endSession(ctx, tx, ctx.session)
    const events = [{ actorId: administratorId, action: 'stop-impersonating' }] as const
    if (token === undefined || hashToken(token) !== ctx.session.impersonatedFrom)
      return { events, refusal: new AppError('UNAUTHORIZED') }
    const { user, ...session } = await tx.session.findUniqueOrThrow({ where: { id: hashToken(token) }, include: { user: true } })
    return { events, result: { user, session, token } }
  },
  answer({ ctx, result: { user, session, token } }) {
    setSessionCookie(ctx, token, session)
    forgetAdministratorSession(ctx)
    return { session: presentSession(session), user: presentUser(user) }
  },
})
