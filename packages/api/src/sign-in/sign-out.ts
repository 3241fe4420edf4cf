import { mutation } from '../mutation.ts'
import { clearSessionCookie, endSession, findAllPresentedSessions } from '../sessions/session-store.ts'
import { lockUsers } from '../users/lock-user.ts'

/** Spec: Sign-in and sign-up. Also ends sessions of planted duplicate cookies. */
export const signOut = mutation({
  access: 'public',
  sensitive: false,
  input: null,
  limit: null,
  events: ['sign-out'],
  mails: [],
  cookies: ['session'],

  async lock(tx, { ctx }) {
    const sessions = await findAllPresentedSessions(ctx, tx)
    await lockUsers(
      tx,
      sessions.map(({ userId }) => userId),
    )
    return sessions
  },
  async change(tx, { ctx, locked: sessions }) {
    const ended: string[] = []
    for (const session of sessions) if (await endSession(ctx, tx, session)) ended.push(session.userId)
    return { events: ended.map((userId) => ({ userId, action: 'sign-out' })), result: null }
  },
  answer({ ctx }) {
    clearSessionCookie(ctx)
    return { success: true as const }
  },
})
