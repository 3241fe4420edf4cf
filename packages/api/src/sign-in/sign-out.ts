import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { clearSessionCookie, endSession, findEveryPresentedSession } from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUsers } from '../users/lock-user.ts'

/**
 * Ends the current session. Spec: Sign-in and sign-up. Done twice, or signed out, it is still done. Where a planted cookie stands beside
 * the real one neither signs in, but both end.
 */
export const signOut = publicProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    const sessions = await findEveryPresentedSession(ctx, tx)
    await lockUsers(
      tx,
      sessions.map(({ userId }) => userId),
    )
    for (const session of sessions)
      if (await endSession(ctx, tx, session))
        await recordAuditEvent(tx, ctx.client, { userId: session.userId, action: 'sign-out' })
  })
  clearSessionCookie(ctx)
  return { success: true as const }
})
