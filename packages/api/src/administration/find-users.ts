import { presentUser } from '../sessions/present-session.ts'
import { type Operator, parseIdentity } from './operator.ts'

export const mostFound = 50

/** Finds at most `mostFound` users by id, by `<provider>:<account id>`, or by part of their email address. */
export async function findUsers({ ctx }: Operator, term: string) {
  const identity = parseIdentity(term)
  const users = await ctx.db.user.findMany({
    where: {
      OR: [{ id: term }, { email: { contains: term.toLowerCase() } }, ...(identity ? [{ accounts: { some: identity } }] : [])],
    },
    orderBy: { email: 'asc' },
    take: mostFound,
  })
  return users.map((user) => ({ ...presentUser(user), suspendedAt: user.suspendedAt }))
}
