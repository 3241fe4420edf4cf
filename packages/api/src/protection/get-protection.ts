import { getHoldEnd, isLocked } from '../kernel/account-protection.ts'
import { holds } from '../kernel/policy.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { sessionProcedure } from '../trpc.ts'
import { openPhrase } from '../users/phrase.ts'
import { findActiveHolds } from './holds.ts'

/** The steps that protect an account, in the order in which the service recommends them. */
export const protectionSteps = ['undo-panic', 'add-passkey', 'set-phrase', 'enable-allow-list', 'lock'] as const

/** Spec: Protection. What protects the caller's account now. */
export const getProtection = sessionProcedure.query(async ({ ctx }) => {
  const userId = ctx.user.id
  const [user, allowList, passkeys, olderPasskeys] = await Promise.all([
    ctx.db.user.findUniqueOrThrow({ where: { id: userId } }),
    ctx.db.allowList.findUnique({ where: { userId } }),
    ctx.db.passkey.count({ where: { userId } }),
    ctx.db.passkey.count({ where: { userId, createdAt: { lte: getTrustCutoff() } } }),
  ])
  const active = await findActiveHolds(ctx.db, userId)
  const [firstHold] = active
  const liftingPasskeys =
    firstHold && (await ctx.db.passkey.count({ where: { userId, createdAt: { lte: getTrustCutoff(firstHold.startedAt) } } }))
  const locked = isLocked(user)
  const phrase = openPhrase(ctx, user)
  const isOpen = {
    'undo-panic': locked && user.lockKind === 'panic' && olderPasskeys > 0 && ctx.settings.passkeys !== null,
    // A lock refuses these two.
    'add-passkey': !locked && passkeys === 0 && ctx.settings.passkeys !== null,
    'set-phrase': !locked && phrase === null,
    'enable-allow-list': allowList === null || (allowList.endsAt !== null && allowList.endsAt <= new Date()),
    lock: !locked && ctx.settings.passkeys !== null,
  }
  return {
    hold: {
      until: getHoldEnd(user),
      reasons: active.map(({ reason, startedAt, endsAt }) => ({ reason, startedAt, endsAt })),
      liftable: Boolean(liftingPasskeys) && active.some(({ reason }) => holds[reason].isLiftable),
    },
    lock: {
      locked,
      kind: locked ? (user.lockKind as 'owner' | 'panic') : null,
      lockedAt: locked ? user.lockedAt : null,
      unlockDays: locked ? user.unlockDays : null,
      unlockAt: locked ? user.unlockAt : null,
      hasKey: locked && user.lockKeyHash !== null,
      days: ctx.settings.protection.lockDays,
    },
    // The user's own words prove that a mail is ours, so they stay with the user.
    phrase: ctx.session.impersonatedBy === null ? phrase : null,
    passkey: passkeys === 0 ? ('none' as const) : olderPasskeys === 0 ? ('new' as const) : ('ready' as const),
    next: protectionSteps.find((step) => isOpen[step]) ?? null,
  }
})
