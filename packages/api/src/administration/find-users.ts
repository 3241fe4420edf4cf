import type { User } from '@floorpass/db'
import { presentUser } from '../sessions/present-session.ts'
import { parseIdentity, type Reader } from './operator.ts'

export const mostFound = 50

/**
 * Finds at most `mostFound` users by id, by `<provider>:<account id>`, or by the beginning of their email, of its domain after an `@`,
 * of their name or of their last name.
 */
export async function findUsers({ ctx }: Reader, term: string): Promise<User[]> {
  const { providerId = null, accountId = null } = parseIdentity(term) ?? {}
  const from = term.toLowerCase()
  const domain = from.startsWith('@') ? from.slice(1) : from
  // One short read of an index each. COLLATE "C" compares bytes, and no byte of a text sorts after this character.
  const [to, domainTo] = [`${from}\u{10ffff}`, `${domain}\u{10ffff}`]
  return ctx.replica.read(async (db) => {
    const found = await db.$queryRaw<{ id: string }[]>`
    (SELECT id FROM users WHERE id = ${term})
    UNION (SELECT user_id FROM accounts WHERE provider_id = ${providerId} AND account_id = ${accountId})
    UNION (
      SELECT id FROM users WHERE email COLLATE "C" >= ${from} AND email COLLATE "C" < ${to}
      ORDER BY email COLLATE "C" LIMIT ${mostFound})
    UNION (
      SELECT id FROM users WHERE lower(name) COLLATE "C" >= ${from} AND lower(name) COLLATE "C" < ${to}
      ORDER BY lower(name) COLLATE "C" LIMIT ${mostFound})
    UNION (
      SELECT id FROM users
      WHERE lower(substring(name FROM '[^ ]+$')) COLLATE "C" >= ${from} AND lower(substring(name FROM '[^ ]+$')) COLLATE "C" < ${to}
      ORDER BY lower(substring(name FROM '[^ ]+$')) COLLATE "C" LIMIT ${mostFound})
    UNION (
      SELECT id FROM users
      WHERE split_part(email, '@', 2) COLLATE "C" >= ${domain} AND split_part(email, '@', 2) COLLATE "C" < ${domainTo}
      ORDER BY split_part(email, '@', 2) COLLATE "C" LIMIT ${mostFound})`
    return db.user.findMany({
      where: { id: { in: found.map(({ id }) => id) } },
      orderBy: { email: 'asc' },
      take: mostFound,
    })
  })
}

/** Searches among few users, such as those with a role: it reads all of them. Matches what `findUsers` matches. */
export async function findUsersAmong({ ctx }: Reader, among: object, term: string): Promise<User[]> {
  const identity = parseIdentity(term)
  // In a pattern, % and _ stand for any text.
  const literal = term.replace(/[\\%_]/g, '\\$&')
  const domain = literal.startsWith('@') ? literal : `@${literal}`
  const matches = [
    { id: term },
    ...(identity ? [{ accounts: { some: identity } }] : []),
    { email: { startsWith: literal.toLowerCase() } },
    { email: { contains: domain.toLowerCase() } },
    { name: { startsWith: literal, mode: 'insensitive' as const } },
    { name: { contains: ` ${literal}`, mode: 'insensitive' as const } },
  ]
  return ctx.replica.read((db) =>
    db.user.findMany({ where: { AND: [among, { OR: matches }] }, orderBy: { email: 'asc' }, take: mostFound }),
  )
}

/** A user as administrators see them. better-auth calls a suspended user banned. */
export const presentFoundUser = (user: User) => ({
  ...presentUser(user),
  banned: user.suspendedAt !== null,
  suspendedAt: user.suspendedAt,
  banExpires: user.suspendedUntil,
})
