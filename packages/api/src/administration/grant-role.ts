import type { Transaction } from '@floorpass/db'
import type { AdministratorRole } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { sendAdministratorRole } from '../mail/notifications.ts'
import { changeWithApproval } from './approvals.ts'
import { type ApprovingOperator, requireUser, toActor } from './operator.ts'

/**
 * Replaces the role that the user has. Mails the user. USER_NOT_FOUND, USER_SUSPENDED, EMAIL_NOT_VERIFIED,
 * ADMINISTRATOR_FACTOR_REQUIRED without a passkey and without two-factor, APPROVAL_REQUIRED. Granting again ends the wait after a security change.
 */
export async function grantRole(
  operator: ApprovingOperator<'grant-role', 'administrator-role'>,
  identifier: string,
  role: AdministratorRole,
  reason: string,
): Promise<void> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  await changeWithApproval(
    operator,
    { action: 'set-role', userId, detail: role, reason },
    {
      async check(tx) {
        const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
        if (user.suspendedAt !== null) throw new AppError('USER_SUSPENDED')
        if (!user.emailVerified) throw new AppError('EMAIL_NOT_VERIFIED')
        const hasFactor = user.twoFactorEnabled || (await tx.passkey.count({ where: { userId } })) > 0
        if (!hasFactor) throw new AppError('ADMINISTRATOR_FACTOR_REQUIRED')
        return user
      },
      async change(tx, user, approved) {
        await endImpersonations(tx, userId)
        await tx.user.update({ where: { id: userId }, data: { role, roleGrantedAt: new Date() } })
        await ctx.record(tx, { userId, ...toActor(operator), action: 'grant-role', details: { role, ...approved } })
        await sendAdministratorRole(ctx, tx, user, role)
      },
    },
  )
}

/** Mails the user. USER_NOT_FOUND, APPROVAL_REQUIRED. `revoked: null`: the user had no role. */
export async function revokeRole(
  operator: ApprovingOperator<'revoke-role', 'administrator-role'>,
  identifier: string,
  reason: string,
): Promise<{ revoked: string | null }> {
  const { ctx } = operator
  const { id: userId, role: former } = await requireUser(operator, identifier)
  if (former === null) return { revoked: null }
  return changeWithApproval(
    operator,
    { action: 'set-role', userId, detail: 'user', reason },
    {
      check: (tx) => tx.user.findUniqueOrThrow({ where: { id: userId } }),
      async change(tx, user, approved) {
        const { role } = user
        if (role === null) return { revoked: null }
        await endImpersonations(tx, userId)
        await tx.user.update({ where: { id: userId }, data: { role: null, roleGrantedAt: null } })
        await ctx.record(tx, { userId, ...toActor(operator), action: 'revoke-role', details: { role, ...approved } })
        await sendAdministratorRole(ctx, tx, user, null)
        return { revoked: role }
      },
    },
  )
}

/** Another role may not impersonate, and no session may impersonate an administrator. */
async function endImpersonations(tx: Transaction, id: string): Promise<void> {
  await tx.session.deleteMany({ where: { OR: [{ impersonatedBy: id }, { userId: id, impersonatedBy: { not: null } }] } })
}
