import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { forgetDevices, rememberDevice } from '../known-devices/known-device.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { revokeSessionInput } from './contract.ts'
import { clearSessionCookie } from './session-store.ts'

/** Spec: Sessions. Also ends the device's trust. An unknown or foreign handle changes nothing, with the same response. */
export const revokeSession = sessionProcedure.input(revokeSessionInput).mutation(async ({ ctx, input }) => {
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const target = { handle: input.token, userId: ctx.user.id }
    await tx.trustedDevice.deleteMany({ where: { sessions: { some: target } } })
    const { count } = await tx.session.deleteMany({ where: target })
    if (count > 0) await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
  })
  if (input.token === ctx.session.handle) clearSessionCookie(ctx)
  return { status: true as const }
})

export const revokeSessions = sessionProcedure.mutation(async ({ ctx }) => {
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    await tx.trustedDevice.deleteMany({ where: { userId: ctx.user.id } })
    const { count } = await tx.session.deleteMany({ where: { userId: ctx.user.id } })
    await voidOneTimeTokens(tx, ctx.user.id, ['two-factor'])
    await forgetDevices(tx, ctx.user.id)
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
  })
  clearSessionCookie(ctx)
  return { status: true as const }
})

export const revokeOtherSessions = sessionProcedure.mutation(async ({ ctx }) => {
  const account = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { userId, trustedDeviceId } = await tx.session.findUniqueOrThrow({ where: { id: ctx.session.id } })
    const devices = await tx.trustedDevice.deleteMany({
      where: { userId, ...(trustedDeviceId !== null && { id: { not: trustedDeviceId } }) },
    })
    const { count } = await tx.session.deleteMany({ where: { userId, id: { not: ctx.session.id } } })
    if (count + devices.count > 0)
      await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'revoke-session', details: { count } })
    await voidOneTimeTokens(tx, userId, ['two-factor'])
    await forgetDevices(tx, userId)
    return findPasswordAccount(tx, userId)
  })
  if (account) rememberDevice(ctx, account)
  return { status: true as const }
})
