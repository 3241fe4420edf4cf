import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { clearSessionCookie, endSession, findAllPresentedSessions } from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUsers } from '../users/lock-user.ts'

/** Spec: Sign-in and sign-up. Also ends sessions of planted duplicate cookies. */
export const signOut = publicProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    const sessions = await findAllPresentedSessions(ctx, tx)
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
