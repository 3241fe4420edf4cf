import { getHoldEnd, isLocked } from '../kernel/account-protection.ts'
import { toLocale } from '../kernel/locale.ts'
import type { ConfirmationLevel } from '../kernel/settings.ts'
import { ownerProcedure } from '../trpc.ts'
import { getStatus, requireOwnConfirmation } from './confirmation.ts'
import { getConfirmationLevel, isBlockedByHold } from './confirmation-level.ts'
import { confirmationInput } from './contract.ts'
import { describeDetails } from './display.ts'
import { findPasskeyRequest } from './passkey-request.ts'
import { signReceipt } from './receipt.ts'
import { readTransaction } from './transaction-challenge.ts'

const methods = { none: 'none', otp: 'otp', passkey: 'passkey', 'passkey+hold': 'passkey' } as const satisfies Record<
  ConfirmationLevel,
  string
>

/** For the session that the confirmation belongs to. CONFIRMATION_NOT_FOUND. */
export const getConfirmation = ownerProcedure.input(confirmationInput).query(async ({ ctx, input }) => {
  const confirmation = await requireOwnConfirmation(ctx.db, ctx, input.id)
  const { id, type, canonical, audience, expiresAt, createdBy } = confirmation
  const { authorization_details: details } = readTransaction(canonical)
  const status = getStatus(confirmation)
  const level = getConfirmationLevel(ctx.settings.confirmationRules, details)
  // The cached user may be older than the lock.
  const user = await ctx.db.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
  const locale = toLocale(user.locale)
  const heldUntil = getHoldEnd(user)
  const blockedByHold = isBlockedByHold(level, user) ? ('hold' as const) : null
  return {
    id,
    type,
    status,
    locale,
    display: describeDetails(details, locale),
    authorization_details: details,
    audience,
    expiresAt,
    createdBy,
    method: methods[level],
    blockedBy: isLocked(user) ? ('lock' as const) : blockedByHold,
    heldUntil,
    options: status === 'pending' ? await findPasskeyRequest(ctx, ctx.db, confirmation) : null,
    receipt: status === 'approved' ? await signReceipt(ctx, await ctx.signingKeys.current(), confirmation) : null,
  }
})
