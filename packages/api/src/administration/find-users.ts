import { presentUser } from '../sessions/present-session.ts'
import { identityOf, type Operator } from './operator.ts'

export const mostFound = 50

/** Users by id, by `<provider>:<id there>`, or by a part of their address; at most `mostFound`, in the order of their addresses. */
export async function findUsers({ ctx }: Operator, term: string) {
  const identity = identityOf(term)
  const users = await ctx.db.user.findMany({
    where: {
      OR: [{ id: term }, { email: { contains: term.toLowerCase() } }, ...(identity ? [{ accounts: { some: identity } }] : [])],
    },
    orderBy: { email: 'asc' },
    take: mostFound,
  })
  return users.map((user) => ({ ...presentUser(user), suspendedAt: user.suspendedAt }))
}
