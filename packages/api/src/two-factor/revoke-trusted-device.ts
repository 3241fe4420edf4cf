import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { revokeTrustedDeviceInput } from './contract.ts'

/** From the next sign-in on, that browser is asked for a code. Spec: Two-factor. Somebody else's, or none, is the same answer without effect. */
export const revokeTrustedDevice = sessionProcedure.input(revokeTrustedDeviceInput).mutation(async ({ ctx, input }) => {
  const userId = ctx.user.id
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.trustedDevice.deleteMany({ where: { id: input.id, userId } })
    if (count > 0) await recordAuditEvent(tx, ctx.client, { userId, action: 'revoke-trusted-device' })
  })
  return { status: true as const }
})
