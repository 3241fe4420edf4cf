import type { Transaction, User } from '@floorpass/db'
import type { MailName } from '@floorpass/email'
import type { AuditAction, Records } from '../audit-log/audit-log.ts'
import { type Context, createContext, type Deps } from '../context.ts'
import { withEffects } from '../effects.ts'
import { type AdministratorPermission, mayAdminister } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { defaultLocale } from '../kernel/locale.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import type { Mails } from '../mail/notifications.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { lockCaller, lockUsers, requireUnlocked } from '../users/lock-user.ts'
import { type Approve, approveAlone, approveTogether } from './approvals.ts'

/** A person at the command line, or a signed-in administrator. A function names the effects that it needs. */
export type Operator<Action extends AuditAction = AuditAction, Mail extends MailName = MailName> = {
  ctx: Context & Records<Action> & Mails<Mail>
  /** Stands for the operator in the audit log. User ids contain no colon, so a command line is never taken for a user. */
  actorId: string
  name: string
  /** Locks the users and the caller, whose right may have ended since the request came. USER_NOT_FOUND and errors of the route. */
  lockSubject(tx: Transaction, ...userIds: readonly string[]): Promise<void>
}

/** For the acts that need two administrators. */
export type ApprovingOperator<Action extends AuditAction = AuditAction, Mail extends MailName = MailName> = Operator<
  Action | 'request-approval' | 'reject-approval',
  Mail | 'approval-requested'
> & { approve: Approve }

/** Enough for a function that changes nothing. */
export type Reader = { ctx: Context }

/** The caller of a route that `requireAdministrator` guards. Only the role `admin` acts on other administrators. */
export const asOperator = <Action extends AuditAction, Mail extends MailName>(
  ctx: Context & ActiveSession & Records<Action> & Mails<Mail>,
  permission: AdministratorPermission,
): Operator<Action, Mail> => ({
  ctx,
  actorId: ctx.user.id,
  name: ctx.user.email,
  async lockSubject(tx, ...userIds) {
    const found = await lockCaller(tx, ctx, userIds)
    if (!userIds.every((id) => found.has(id))) throw new AppError('USER_NOT_FOUND')
    await requireUnlocked(tx, ctx.user.id)
    const users = await tx.user.findMany({ where: { id: { in: [ctx.user.id, ...userIds] } }, select: { id: true, role: true } })
    const roleOf = (id: string) => users.find((user) => user.id === id)?.role ?? null
    const mayActOn = userIds.every((id) => roleOf(id) === null) || roleOf(ctx.user.id) === 'admin'
    if (!mayAdminister(roleOf(ctx.user.id), permission) || !mayActOn) throw new AppError('ADMINISTRATOR_ROLE_REQUIRED')
  },
})

export const asApprovingOperator = <Action extends AuditAction, Mail extends MailName>(
  ctx: Context & ActiveSession & Records<Action | 'request-approval' | 'reject-approval'> & Mails<Mail | 'approval-requested'>,
  permission: AdministratorPermission,
): ApprovingOperator<Action, Mail> => ({
  ...asOperator<Action | 'request-approval' | 'reject-approval', Mail | 'approval-requested'>(ctx, permission),
  approve: (tx, act) => approveTogether(ctx, tx, act),
})

export function createOperator(deps: Deps, name: string): ApprovingOperator {
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
    async lockSubject(tx, ...userIds) {
      await lockUsers(tx, userIds)
      if ((await tx.user.count({ where: { id: { in: [...userIds] } } })) < new Set(userIds).size)
        throw new AppError('USER_NOT_FOUND')
    },
    approve: approveAlone,
  }
}

/** YOU_CANNOT_ADMINISTER_YOURSELF: an administrator has settings, or a colleague. */
export function assertNotOneself({ user }: ActiveSession, userId: string): void {
  if (user.id === userId) throw new AppError('YOU_CANNOT_ADMINISTER_YOURSELF')
}

export const toActor = ({ actorId }: Pick<Operator, 'actorId'>): { actorId: string } => ({ actorId })

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
