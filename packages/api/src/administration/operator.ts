import type { User } from '@floorpass/db'
import type { MailName } from '@floorpass/email'
import type { AuditAction } from '../audit-log/audit-log.ts'
import { type Context, createContext, type Deps } from '../context.ts'
import type { CookieName } from '../cookies/flow-cookie.ts'
import { type Effects, withEffects } from '../effects.ts'
import { AppError } from '../kernel/errors.ts'
import { defaultLocale } from '../kernel/locale.ts'
import { providerIds } from '../kernel/provider-ids.ts'

/** A person who runs the service from its command line. No route reaches the functions of this folder. */
export type Operator = {
  ctx: Context & Effects<AuditAction, MailName, CookieName>
  name: string
}

export function createOperator(deps: Deps, name: string): Operator {
  const noCookies = { get: () => undefined, all: () => [], set: () => {} }
  return {
    ctx: withEffects(
      createContext(
        deps,
        {
          ip: null,
          userAgent: 'Floorpass admin',
          locale: defaultLocale,
          bearer: null,
          serviceKey: null,
          apiKey: null,
          signedRequest: null,
        },
        noCookies,
      ),
    ),
    name,
  }
}

/** Names the operator in the audit log. User ids contain no colon, so the two cannot collide. */
export const toActor = ({ name }: Pick<Operator, 'name'>): { actorId: string } => ({ actorId: `operator:${name}` })

/** Returns the user with this email address, id or `<provider>:<account id>`. USER_NOT_FOUND. */
export async function requireUser({ ctx }: Operator, identifier: string): Promise<User> {
  const identity = parseIdentity(identifier)
  // The format decides: an imported id must not match another user's address.
  const user = identity
    ? await ctx.db.user.findFirst({ where: { accounts: { some: identity } } })
    : await ctx.db.user.findUnique({ where: identifier.includes('@') ? { email: identifier.toLowerCase() } : { id: identifier } })
  if (!user) throw new AppError('USER_NOT_FOUND')
  return user
}

export function parseIdentity(identifier: string): { providerId: string; accountId: string } | null {
  const providerId = providerIds.find((id) => identifier.startsWith(`${id}:`))
  return providerId === undefined ? null : { providerId, accountId: identifier.slice(providerId.length + 1) }
}
