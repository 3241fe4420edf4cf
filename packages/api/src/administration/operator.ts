import type { User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { providerIds } from '../kernel/provider-ids.ts'

/** Who runs the service, at its command line: rules of this folder are on no wire. */
export type Operator = {
  ctx: Context
  /** A person, for the audit log. */
  name: string
}

/** How the audit log names an operator: no user id holds a colon. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): { actorId: string } => ({ actorId: `operator:${name}` })

/** The one user whom an address, an id or `<provider>:<id there>` names. USER_NOT_FOUND. */
export async function requireUser({ ctx }: Operator, who: string): Promise<User> {
  const identity = identityOf(who)
  // By its shape: an id that somebody imported must not answer to another's address.
  const user = identity
    ? await ctx.db.user.findFirst({ where: { accounts: { some: identity } } })
    : await ctx.db.user.findUnique({ where: who.includes('@') ? { email: who.toLowerCase() } : { id: who } })
  if (!user) throw new AppError('USER_NOT_FOUND')
  return user
}

/** `google:1234` as an account of that provider; null for anything else. */
export function identityOf(who: string): { providerId: string; accountId: string } | null {
  const providerId = providerIds.find((id) => who.startsWith(`${id}:`))
  return providerId === undefined ? null : { providerId, accountId: who.slice(providerId.length + 1) }
}
