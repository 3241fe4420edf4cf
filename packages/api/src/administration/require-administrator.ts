import type { Context } from '../context.ts'
import { isHeld } from '../kernel/account-protection.ts'
import { type AdministratorPermission, mayAdminister } from '../kernel/administrator-roles.ts'
import { AppError } from '../kernel/errors.ts'
import { type HoldReason, policy } from '../kernel/policy.ts'
import { isRecent } from '../sessions/authentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

/**
 * The cookie of an administrator alone opens nothing: their passkey must have been verified in this session in the last 15 minutes.
 * Without a passkey, a code. ADMINISTRATOR_ROLE_REQUIRED, ADMINISTRATOR_FACTOR_REQUIRED, SESSION_NOT_FRESH, ADMINISTRATOR_ON_HOLD,
 * TOO_MANY_REQUESTS.
 */
export async function requireAdministrator(
  { db, settings, limiter, user, session }: Pick<Context, 'db' | 'settings' | 'limiter'> & ActiveSession,
  permission: AdministratorPermission,
): Promise<void> {
  if (!mayAdminister(user.role, permission)) throw new AppError('ADMINISTRATOR_ROLE_REQUIRED')
  const hasPasskey = settings.passkeys !== null && (await db.passkey.count({ where: { userId: user.id } })) > 0
  if (!hasPasskey && !user.twoFactorEnabled) throw new AppError('ADMINISTRATOR_FACTOR_REQUIRED')
  const provedAt = hasPasskey ? session.passkeyAt : session.secondFactorAt
  if (provedAt === null || !isRecent(provedAt, policy.session.reauthenticationAge)) throw new AppError('SESSION_NOT_FRESH')
  if (isHeld(user) && (await hasRecentChange(db, settings, user))) throw new AppError('ADMINISTRATOR_ON_HOLD')
  await limiter.consume('administration:user', user.id)
}

/** A thief with the password can add a factor, which starts a hold. Changes before the grant do not count. */
async function hasRecentChange(
  db: Context['db'],
  { protection }: Context['settings'],
  { id: userId, roleGrantedAt }: ActiveSession['user'],
): Promise<boolean> {
  const holds = await db.hold.findMany({ where: { userId, endsAt: { gt: new Date() } } })
  return holds.some(({ reason, endsAt }) => {
    const hours = protection.holdHours[reason as HoldReason]
    return endsAt.getTime() - hours * 3_600_000 > (roleGrantedAt?.getTime() ?? 0)
  })
}
