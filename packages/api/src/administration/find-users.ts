import { presentUser } from '../sessions/present-session.ts'
import { type Operator, parseIdentity } from './operator.ts'

export const mostFound = 50

/** Finds at most `mostFound` users by id, by `<provider>:<account id>`, or by the beginning of their email address. */
export async function findUsers({ ctx }: Operator, term: string) {
  const { providerId = null, accountId = null } = parseIdentity(term) ?? {}
  const from = term.toLowerCase()
  // One short read of an index each. COLLATE "C" compares bytes, and no byte of an address sorts after this character.
  const users = await ctx.replica.read(async (db) => {
    const found = await db.$queryRaw<{ id: string }[]>`
    (SELECT id FROM users WHERE id = ${term})
    UNION (SELECT user_id FROM accounts WHERE provider_id = ${providerId} AND account_id = ${accountId})
    UNION (
      SELECT id FROM users WHERE email COLLATE "C" >= ${from} AND email COLLATE "C" < ${`${from}\u{10ffff}`}
      ORDER BY email COLLATE "C" LIMIT ${mostFound})`
    return db.user.findMany({
      where: { id: { in: found.map(({ id }) => id) } },
      orderBy: { email: 'asc' },
    })
  })
  return users.map((user) => ({ ...presentUser(user), suspendedAt: user.suspendedAt }))
}
