import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { sendTwoFactorDisabled } from '../mail/notifications.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { sessionProcedure } from '../trpc.ts'
import { deleteTwoFactor } from '../users/delete-two-factor.ts'
import { disableTwoFactorInput } from './contract.ts'
import { reauthenticateOwner } from './reauthenticate-owner.ts'
import { clearTrustCookie } from './trusted-device.ts'

export const disableTwoFactor = sessionProcedure.input(disableTwoFactorInput).mutation(async ({ ctx, input }) => {
  const renewed = await reauthenticateOwner(ctx, input, async (tx, { id: userId }) => {
    const user = await deleteTwoFactor(tx, userId)
    await recordAuditEvent(tx, ctx.client, { userId, action: 'disable-two-factor' })
    await sendTwoFactorDisabled(ctx, tx, user)
    return renewSession(ctx, tx, ctx.session.id)
  })
  if (!renewed) throw new AppError('UNAUTHORIZED')
  setSessionCookie(ctx, renewed.token, renewed.session)
  clearTrustCookie(ctx)
  return { status: true as const }
})
