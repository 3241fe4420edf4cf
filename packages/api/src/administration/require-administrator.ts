import type { Context } from '../context.ts'
import { type AdministratorPermission, mayAdminister } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { isRecent } from '../sessions/authentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/**
 * The cookie of an administrator alone opens nothing: their passkey must have been verified in this session in the last 15 minutes.
 * Without a passkey, a code. ADMINISTRATOR_ROLE_REQUIRED, ADMINISTRATOR_FACTOR_REQUIRED, SESSION_NOT_FRESH.
 */
export async function requireAdministrator(
  { db, settings, user, session }: Pick<Context, 'db' | 'settings'> & ActiveSession,
  permission: AdministratorPermission,
): Promise<void> {
  if (!mayAdminister(user.role, permission)) throw new AppError('ADMINISTRATOR_ROLE_REQUIRED')
  const hasPasskey = settings.passkeys !== null && (await db.passkey.count({ where: { userId: user.id } })) > 0
  if (!hasPasskey && !user.twoFactorEnabled) throw new AppError('ADMINISTRATOR_FACTOR_REQUIRED')
  const provedAt = hasPasskey ? session.passkeyAt : session.secondFactorAt
  if (provedAt === null || !isRecent(provedAt, policy.session.reauthenticationAge)) throw new AppError('SESSION_NOT_FRESH')
}
