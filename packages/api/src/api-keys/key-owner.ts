import type { ApiKey, Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { findMembership, lockAsMember, type Membership } from '../organizations/membership.ts'
import { lockCaller } from '../users/lock-user.ts'

export type KeyAction = 'create' | 'read' | 'update' | 'delete'

/** Only one configuration exists. Another one has no keys. */
export const isOnlyConfiguration = (configId: string | undefined): boolean => configId === undefined || configId === 'default'

/** KEY_NOT_FOUND. */
export function assertConfiguration(configId: string | undefined): void {
  if (!isOnlyConfiguration(configId)) throw new AppError('KEY_NOT_FOUND')
}

/** USER_NOT_MEMBER_OF_ORGANIZATION, also for an unknown organization. INSUFFICIENT_API_KEY_PERMISSIONS. */
export async function requireKeyRole(
  db: Transaction,
  organizationId: string,
  userId: string,
  action: KeyAction,
): Promise<Membership> {
  const membership = await findMembership(db, organizationId, userId)
  if (!membership) throw new AppError('USER_NOT_MEMBER_OF_ORGANIZATION')
  if (!may(membership.role, 'apiKey', action)) throw new AppError('INSUFFICIENT_API_KEY_PERMISSIONS')
  return membership
}

/** Returns a key of the caller or of an organization where the role allows the action. KEY_NOT_FOUND, INSUFFICIENT_API_KEY_PERMISSIONS. */
export async function requireOwnKey(db: Transaction, id: string, userId: string, action: KeyAction): Promise<ApiKey> {
  const key = await db.apiKey.findUnique({ where: { id } })
  if (!key || !(await isVisible(db, key, userId))) throw new AppError('KEY_NOT_FOUND')
  if (key.organizationId !== null) await requireKeyRole(db, key.organizationId, userId, action)
  return key
}

const isVisible = async (db: Transaction, { organizationId, userId }: ApiKey, callerId: string): Promise<boolean> =>
  organizationId === null ? userId === callerId : (await findMembership(db, organizationId, callerId)) !== null

/** Locks the caller or, for a key of an organization, the caller, its creator and the organization. */
export async function lockKeyOwner(
  tx: Transaction,
  ctx: Parameters<typeof lockAsMember>[1],
  { organizationId, userId }: Pick<ApiKey, 'organizationId' | 'userId'>,
): Promise<void> {
  if (organizationId === null) await lockCaller(tx, ctx)
  else await lockAsMember(tx, ctx, organizationId, [userId])
}
