import type { User } from '@floorpass/db'
import type { MailName } from '@floorpass/email'
import type { AuditAction, Records } from '../audit-log/audit-log.ts'
import { type Context, createContext, type Deps } from '../context.ts'
import { withEffects } from '../effects.ts'
import { AppError } from '../kernel/errors.ts'
import { defaultLocale } from '../kernel/locale.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import type { Mails } from '../mail/notifications.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/** A person at the command line, or a signed-in administrator. A function names the effects that it needs. */
export type Operator<Action extends AuditAction = AuditAction, Mail extends MailName = MailName> = {
  ctx: Context & Records<Action> & Mails<Mail>
  /** Stands for the operator in the audit log. User ids contain no colon, so a command line is never taken for a user. */
  actorId: string
  name: string
}

/** Enough for a function that changes nothing. */
export type Reader = { ctx: Context }

/** The caller of a route that `requireAdministrator` guards. */
export const asOperator = <Action extends AuditAction, Mail extends MailName>(
  ctx: Context & ActiveSession & Records<Action> & Mails<Mail>,
): Operator<Action, Mail> => ({ ctx, actorId: ctx.user.id, name: ctx.user.email })

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
    actorId: `operator:${name}`,
    name,
  }
}

export const toActor = ({ actorId }: Pick<Operator, 'actorId'>): { actorId: string } => ({ actorId })

/** Only the role `admin` acts on other administrators. ADMINISTRATOR_ROLE_REQUIRED. */
export function assertMayActOn({ user: caller }: ActiveSession, { role }: Pick<User, 'role'>): void {
  if (role !== null && caller.role !== 'admin') throw new AppError('ADMINISTRATOR_ROLE_REQUIRED')
}

/** Returns the user with this email address, id or `<provider>:<account id>`. USER_NOT_FOUND. */
export async function requireUser({ ctx }: Reader, identifier: string): Promise<User> {
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
