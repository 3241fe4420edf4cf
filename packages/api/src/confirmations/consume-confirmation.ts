import type { Confirmation, Transaction } from '@floorpass/db'
import { isLocked } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { mutation } from '../mutation.ts'
import { lockUser } from '../users/lock-user.ts'
import { getStatus } from './confirmation.ts'
import { getConfirmationLevel, isBlockedByHold } from './confirmation-level.ts'
import { consumeConfirmationInput } from './contract.ts'
import { signReceipt, toClaims } from './receipt.ts'
import { requireLiveSession } from './require-live-session.ts'
import { readTransaction } from './transaction-challenge.ts'

/**
 * Of concurrent calls, exactly one succeeds. CONFIRMATION_NOT_FOUND, INVALID_AUDIENCE, CONFIRMATION_CONSUMED, CONFIRMATION_EXPIRED,
 * CONFIRMATION_NOT_APPROVED, ACCOUNT_LOCKED, CONFIRMATION_SESSION_NOT_FOUND, ACCOUNT_HELD.
 */
export const consumeConfirmation = mutation({
  access: 'confirmation:consume',
  sensitive: 'in-part',
  input: consumeConfirmationInput,
  limit: null,
  events: ['consume-confirmation'],
  mails: [],
  cookies: [],

  prepare: async ({ ctx, input: { jti } }) => {
    const found = await ctx.db.confirmation.findUnique({ where: { id: jti } })
    if (!found) throw new AppError('CONFIRMATION_NOT_FOUND')
    // Before the change: a receipt that cannot be signed must not use up the confirmation.
    return { userId: found.userId, signingKey: await ctx.signingKeys.current() }
  },
  lock: (tx, { prepared: { userId } }) => lockUser(tx, userId),
  async change(tx, { ctx, input: { jti, audience }, prepared: { signingKey } }) {
    const confirmation = await tx.confirmation.findUnique({ where: { id: jti }, include: { user: true } })
    if (!confirmation) throw new AppError('CONFIRMATION_NOT_FOUND')
    const { user, ...row } = confirmation
    if (audience !== undefined && audience !== row.audience)
      throw new AppError('INVALID_AUDIENCE', { message: 'The confirmation is for another audience' })
    assertApproved(row)
    if (user.suspendedAt || isLocked(user)) throw new AppError('ACCOUNT_LOCKED')
    await requireLiveSession(tx, user.id, row.sessionHandle)
    const level = getConfirmationLevel(ctx.settings.confirmationRules, readTransaction(row.canonical).authorization_details)
    if (isBlockedByHold(level, user)) throw new AppError('ACCOUNT_HELD')
    const receipt = await signReceipt(ctx, signingKey, row)
    await markConsumed(tx, jti, ctx.service.name)
    const actorId = `service:${ctx.service.name}`
    const details = { confirmation: jti, type: row.type, service: ctx.service.name }
    return { events: [{ userId: user.id, actorId, action: 'consume-confirmation', details }], result: { row, receipt } }
  },
  answer({ result: { row, receipt } }) {
    const { sub, aud, authorization_details, acr, amr, txn_hash, exp } = toClaims(row)
    return {
      receipt,
      sub,
      aud,
      type: row.type,
      authorization_details,
      acr,
      amr,
      txn_hash,
      exp,
    }
  },
})

function assertApproved(confirmation: Confirmation): void {
  const status = getStatus(confirmation)
  if (status === 'consumed') throw new AppError('CONFIRMATION_CONSUMED')
  if (status === 'expired') throw new AppError('CONFIRMATION_EXPIRED')
  if (status !== 'approved') throw new AppError('CONFIRMATION_NOT_APPROVED')
}

/** The statement repeats the conditions, so that two calls can never both succeed. */
async function markConsumed(tx: Transaction, id: string, consumedBy: string): Promise<void> {
  const now = new Date()
  const rows = await tx.$queryRaw<unknown[]>`
    UPDATE confirmations SET consumed_at = ${now}, consumed_by = ${consumedBy}
    WHERE id = ${id} AND consumed_at IS NULL AND approved_at IS NOT NULL AND rejected_at IS NULL AND expires_at > ${now} RETURNING id`
  if (rows.length === 0) throw new AppError('CONFIRMATION_CONSUMED')
}
