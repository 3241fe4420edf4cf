import { recordAuditEvent } from '../security/audit-log.ts'
import { lockCaller } from '../security/lock-user.ts'
import { sessionProcedure } from '../trpc.ts'
import { revokeSessionInput } from './contract.ts'
import { clearSessionCookie } from './session-store.ts'

/** Ends one of the caller's sessions, named by its handle. Spec: Sessions. Somebody else's, or none, is the same answer without effect. */
export const revokeSession = sessionProcedure.input(revokeSessionInput).mutation(async ({ ctx, input }) => {
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.session.deleteMany({ where: { handle: input.token, userId: ctx.user.id } })
    if (count > 0) await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
  })
  if (input.token === ctx.session.handle) clearSessionCookie(ctx)
  return { status: true as const }
})

/** Ends all of the caller's sessions, this one too. Spec: Sessions. */
export const revokeSessions = sessionProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.session.deleteMany({ where: { userId: ctx.user.id } })
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
  })
  clearSessionCookie(ctx)
  return { status: true as const }
})

/** Ends the caller's sessions but this one. Spec: Sessions. */
export const revokeOtherSessions = sessionProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.session.deleteMany({ where: { userId: ctx.user.id, id: { not: ctx.session.id } } })
    if (count > 0) await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
  })
  return { status: true as const }
})
