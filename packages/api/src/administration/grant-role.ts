import type { Transaction, User } from '@floorpass/db'
import type { AdministratorRole } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { sendAdministratorRole } from '../mail/notifications.ts'
import { type Operator, requireUser, toActor } from './operator.ts'

/**
 * Replaces the role that the user has. Mails the user. USER_NOT_FOUND, EMAIL_NOT_VERIFIED, ADMINISTRATOR_FACTOR_REQUIRED without a
 * passkey and without two-factor. Granted again, the role acts at once after a security change.
 */
export const grantRole = (
  operator: Operator<'grant-role', 'administrator-role'>,
  identifier: string,
  role: AdministratorRole,
  reason: string,
): Promise<void> =>
  changeRole(operator, identifier, async (tx, user) => {
    if (!user.emailVerified) throw new AppError('EMAIL_NOT_VERIFIED')
    const hasFactor = user.twoFactorEnabled || (await tx.passkey.count({ where: { userId: user.id } })) > 0
    if (!hasFactor) throw new AppError('ADMINISTRATOR_FACTOR_REQUIRED')
    await tx.user.update({ where: { id: user.id }, data: { role, roleGrantedAt: new Date() } })
    await operator.ctx.record(tx, { userId: user.id, ...toActor(operator), action: 'grant-role', details: { role, reason } })
    await sendAdministratorRole(operator.ctx, tx, user, role)
  })

/** Mails the user. USER_NOT_FOUND. `revoked: null`: the user had no role. */
export const revokeRole = (
  operator: Operator<'revoke-role', 'administrator-role'>,
  identifier: string,
  reason: string,
): Promise<{ revoked: string | null }> =>
  changeRole(operator, identifier, async (tx, user) => {
    const { id, role } = user
    if (role === null) return { revoked: null }
    await tx.user.update({ where: { id }, data: { role: null, roleGrantedAt: null } })
    await operator.ctx.record(tx, { userId: id, ...toActor(operator), action: 'revoke-role', details: { role, reason } })
    await sendAdministratorRole(operator.ctx, tx, user, null)
    return { revoked: role }
  })

async function changeRole<Result>(
  operator: Operator<never, never>,
  identifier: string,
  change: (tx: Transaction, user: User) => Promise<Result>,
): Promise<Result> {
  const { id } = await requireUser(operator, identifier)
  return operator.ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, id)
    return change(tx, await tx.user.findUniqueOrThrow({ where: { id } }))
  })
}
