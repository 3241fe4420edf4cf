/** The hold and the lock in the user's row. A clock that is set back lengthens both. */
export type AccountProtection = { heldUntil: Date | null; lockedAt: Date | null; unlockAt: Date | null }

/** Whether withdrawals are on hold now. */
export const isHeld = ({ heldUntil }: Pick<AccountProtection, 'heldUntil'>): boolean =>
  heldUntil !== null && heldUntil.getTime() > Date.now()

/** When the hold ends. Null without one, or when it is over. */
export const getHoldEnd = ({ heldUntil }: Pick<AccountProtection, 'heldUntil'>): Date | null =>
  isHeld({ heldUntil }) ? heldUntil : null

/** Whether sensitive changes are locked now. */
export const isLocked = ({ lockedAt, unlockAt }: Pick<AccountProtection, 'lockedAt' | 'unlockAt'>): boolean =>
  lockedAt !== null && (unlockAt === null || unlockAt.getTime() > Date.now())

type NewRole = { readonly heldUntil: number | null }

/** What protects an account where it acts for an organization: a new role there is on hold too. */
export const protectRole = (
  { heldUntil, lockedAt, unlockAt }: AccountProtection,
  role: NewRole | undefined,
): AccountProtection => ({
  heldUntil: role?.heldUntil && role.heldUntil > (heldUntil?.getTime() ?? 0) ? new Date(role.heldUntil) : heldUntil,
  lockedAt,
  unlockAt,
})

/** The columns of an account without a lock. */
export const noLock = { lockKind: null, lockedAt: null, unlockDays: null, unlockAt: null, lockKeyHash: null }

/** The columns of a new account. */
export const unprotected = { heldUntil: null, ...noLock, phraseSealed: null }
