import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { revokeTrustedDeviceInput } from './contract.ts'

/** Spec: Two-factor. An unknown or foreign id changes nothing, with the same response. */
export const revokeTrustedDevice = sessionProcedure.input(revokeTrustedDeviceInput).mutation(async ({ ctx, input }) => {
  const userId = ctx.user.id
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.trustedDevice.deleteMany({ where: { id: input.id, userId } })
    if (count > 0) await recordAuditEvent(tx, ctx.client, { userId, action: 'revoke-trusted-device' })
  })
  return { status: true as const }
})
