import { AppError } from '../kernel/errors.ts'
import { sendTwoFactorDisabled } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { deleteTwoFactor } from '../users/delete-two-factor.ts'
import { startHold } from '../users/start-hold.ts'
import { disableTwoFactorInput } from './contract.ts'
import { clearTrustCookie } from './trusted-device.ts'
import { confirmPasswordIfGiven, proofActions, proofMails, verifyOwner } from './verify-owner.ts'

/** Spec: Two-factor. Throws the errors of `verifyOwner`. */
export const disableTwoFactor = mutation({
  access: 'session',
  sensitive: true,
  input: disableTwoFactorInput,
  limit: null,
  events: ['disable-two-factor', ...proofActions],
  mails: ['two-factor-disabled', ...proofMails],
  cookies: ['session', 'trusted_device'],

  prepare: confirmPasswordIfGiven,
  lock: 'caller',
  async change(tx, { ctx, input, prepared: account }) {
    const owner = await verifyOwner(ctx, tx, { account, code: input.code, passkey: input.passkey })
    if (owner instanceof AppError) return { events: [], refusal: owner }
    const user = await deleteTwoFactor(tx, owner.id)
    await startHold(ctx, tx, owner.id, 'change-factor')
    await sendTwoFactorDisabled(ctx, tx, user)
    const renewed = await renewSession(ctx, tx, ctx.session.id)
    if (!renewed) throw new AppError('UNAUTHORIZED')
    return { events: [{ action: 'disable-two-factor' }], result: renewed }
  },
  answer({ ctx, result: { session, token } }) {
    setSessionCookie(ctx, token, session)
    clearTrustCookie(ctx)
    return { status: true as const }
  },
})
