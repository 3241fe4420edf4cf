import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { clearSessionCookie, endSession, findPresentedSession } from '../sessions/session-store.ts'
import { publicProcedure } from '../trpc.ts'

/** Ends the current session. Spec: Sign-in and sign-up. Done twice, or signed out, it is still done. */
export const signOut = publicProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    const session = await findPresentedSession(ctx, tx)
    if (!session || !(await lockUser(tx, session.userId))) return
    if (await endSession(ctx, tx, session)) await recordAuditEvent(tx, ctx.client, { userId: session.userId, action: 'sign-out' })
  })
  clearSessionCookie(ctx)
  return { success: true as const }
})
