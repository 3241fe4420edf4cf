import type { Queryable } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'

/**
 * Changes of one account take turns: the first statement of each transaction that changes credentials, addresses, sessions or
 * links. In any other order two of them could wait for each other's rows in a circle. False when the user is gone.
 */
export async function lockUser(tx: Queryable, userId: string | null): Promise<boolean> {
  if (userId === null) return false
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
  return rows.length > 0
}

/** The same for several, in the order of their ids. */
export async function lockUsers(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.$queryRaw`SELECT id FROM users WHERE id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`
}

/**
 * The same for the signed-in caller, who must not be suspended and whose session must still live: what ended it while this waited,
 * also ends this. UNAUTHORIZED.
 * `others` are further users that the change touches; answers those of all of them who are there. The order of ids keeps two such
 * changes from waiting for each other.
 */
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

/**
 * For who holds the lock: the session must still live. A statement of its own: the one that waited for the lock still sees what was
 * there before it waited. UNAUTHORIZED.
 */
export async function assertSessionLive(tx: Queryable, { id }: { id: string }): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM sessions WHERE id = ${id} AND expires_at > ${new Date()}`
  if (rows.length === 0) throw new AppError('UNAUTHORIZED')
}
