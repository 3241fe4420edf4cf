import type { AuditEntry } from '../audit-log/audit-log.ts'
import { forgetAdministratorSession } from '../cookies/administrator-session.ts'
import { mutation } from '../mutation.ts'
import { clearSessionCookie, endSession, findAllPresentedSessions } from '../sessions/session-store.ts'
import { lockUsers } from '../users/lock-user.ts'

/** Spec: Sign-in and sign-up. Also ends sessions of planted duplicate cookies, and the session of an administrator who impersonates. */
export const signOut = mutation({
  access: 'public',
  whileImpersonated: true,
  sensitive: false,
  input: null,
  limit: null,
  events: ['sign-out', 'stop-impersonating'],
  mails: [],
  cookies: ['session', 'admin_session'],

  async lock(tx, { ctx }) {
    const sessions = await findAllPresentedSessions(ctx, tx)
    await lockUsers(
      tx,
      sessions.flatMap(({ userId, impersonatedBy }) => [userId, impersonatedBy ?? userId]),
    )
    return sessions
  },
  async change(tx, { ctx, locked: sessions }) {
    const events: AuditEntry<'sign-out' | 'stop-impersonating'>[] = []
    for (const { id, userId, impersonatedBy, impersonatedFrom } of sessions) {
      if (!(await endSession(ctx, tx, { id: impersonatedFrom ?? id }))) continue
      if (impersonatedBy !== null) events.push({ userId, actorId: impersonatedBy, action: 'stop-impersonating' })
      events.push({ userId: impersonatedBy ?? userId, action: 'sign-out' })
    }
    return { events, result: null }
  },
  answer({ ctx }) {
    clearSessionCookie(ctx)
    forgetAdministratorSession(ctx)
    return { success: true as const }
  },
})
