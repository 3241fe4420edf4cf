import type { Queryable } from '@floorpass/db'
import { type AccountProtection, isLocked } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'

/** Serializes changes of one account; false when it is deleted. Always lock first, to avoid deadlocks. */
export async function lockUser(tx: Queryable, userId: string | null): Promise<boolean> {
  if (userId === null) return false
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
  return rows.length > 0
}

export async function lockUsers(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.$queryRaw`SELECT id FROM users WHERE id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`
}

type LockState = Pick<AccountProtection, 'lockedAt' | 'unlockAt'>

/** ACCOUNT_LOCKED. */
export function assertUnlocked(user: LockState): void {
  if (isLocked(user)) throw new AppError('ACCOUNT_LOCKED')
}

/** Lock the user first. `acceptsPanic` ignores the lock while the hold of a panic link lasts. ACCOUNT_LOCKED. */
export async function requireUnlocked(tx: Queryable, userId: string, { acceptsPanic = false } = {}): Promise<void> {
  const [user] = await tx.$queryRaw<(LockState & { isPanicked: boolean })[]>`
    SELECT locked_at AS "lockedAt", unlock_at AS "unlockAt", lock_kind = 'panic' OR EXISTS (
      SELECT FROM holds WHERE user_id = users.id AND reason = 'panic' AND ends_at > ${new Date()}::timestamp
    ) AS "isPanicked" FROM users WHERE id = ${userId}`
  if (user && !(acceptsPanic && user.isPanicked)) assertUnlocked(user)
}

/** Locks the caller and `others`, and returns the ids that exist. Requires a live session. UNAUTHORIZED. */
export async function lockCaller(
  tx: Queryable,
  { user, session }: { user: { id: string }; session: { id: string } },
  others: readonly string[] = [],
): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string; suspended: boolean }[]>`
    SELECT id, suspended_at IS NOT NULL AS suspended FROM users WHERE id = ANY(${[user.id, ...others]}) ORDER BY id FOR NO KEY UPDATE`
  if (!rows.some(({ id, suspended }) => id === user.id && !suspended)) throw new AppError('UNAUTHORIZED')
  await assertSessionLive(tx, session)
  return new Set(rows.map(({ id }) => id))
}

/** Needs its own statement after the lock: a statement that waited still sees the old rows. UNAUTHORIZED. */
export async function assertSessionLive(tx: Queryable, { id }: { id: string }): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM sessions WHERE id = ${id} AND expires_at > ${new Date()}`
  if (rows.length === 0) throw new AppError('UNAUTHORIZED')
}
