import type { Member, Transaction } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { isHeld } from '../kernel/account-protection.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { rolesUpTo } from '../kernel/role-permissions.ts'
import { type Role, roles } from '../kernel/roles.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { lockCaller } from '../users/lock-user.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { type CancelContext, cancelInvitations } from './invitation.ts'

// Every change locks users by id, then the organization, then other rows, to avoid deadlocks (ADR 014).

export type Membership = Member & { role: Role }

export function requireRole(name: string): Role {
  const role = roles.find((known) => known === name)
  if (!role) throw new AppError('ROLE_NOT_FOUND')
  return role
}

/** Returns the given id or the session's active organization. NO_ACTIVE_ORGANIZATION. */
export function requireOrganizationId({ session }: Pick<ActiveSession, 'session'>, organizationId: string | undefined): string {
  const id = organizationId ?? session.activeOrganizationId
  if (id === null) throw new AppError('NO_ACTIVE_ORGANIZATION')
  return id
}

export const findMembership = (db: Transaction, organizationId: string, userId: string): Promise<Membership | null> =>
  db.member.findUnique({ where: { organizationId_userId: { organizationId, userId } } }) as Promise<Membership | null>

/** Returns a membership. Non-members cannot tell whether the organization exists: ORGANIZATION_NOT_FOUND. */
export async function requireMembership(db: Transaction, organizationId: string, userId: string): Promise<Membership> {
  const membership = await findMembership(db, organizationId, userId)
  if (!membership) throw new AppError('ORGANIZATION_NOT_FOUND')
  return membership
}

export const findMemberUserIds = async (db: Transaction, organizationId: string): Promise<string[]> =>
  (await db.member.findMany({ where: { organizationId } })).map(({ userId }) => userId)

export async function requireCallerMembership(
  { db, user, session }: Context & ActiveSession,
  { organizationId, organizationSlug }: { organizationId?: string | undefined; organizationSlug?: string | undefined },
): Promise<Membership> {
  if (organizationSlug === undefined) return requireMembership(db, requireOrganizationId({ session }, organizationId), user.id)
  const membership = await db.member.findFirst({ where: { userId: user.id, organization: { slug: organizationSlug } } })
  if (!membership) throw new AppError('ORGANIZATION_NOT_FOUND')
  return membership as Membership
}

/** Serializes changes of one organization; false when it is deleted. Lock users first. */
export async function lockOrganization(tx: Transaction, organizationId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`
  return rows.length > 0
}

export async function lockOrganizations(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.$queryRaw`SELECT id FROM organizations WHERE id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`
}

/** Locks the caller, `others` and the organization, and accepts the membership. UNAUTHORIZED, ORGANIZATION_NOT_FOUND, ORGANIZATION_SUSPENDED. */
export async function lockAsMember(
  tx: Transaction,
  ctx: ActiveSession & Records<'accept-membership'>,
  organizationId: string,
  others: readonly string[] = [],
): Promise<Membership> {
  if (others.length > 0) await requireMembership(tx, organizationId, ctx.user.id)
  await lockCaller(tx, ctx, others)
  await lockOrganization(tx, organizationId)
  const membership = await requireMembership(tx, organizationId, ctx.user.id)
  await assertNotSuspended(tx, organizationId)
  if (membership.acceptedAt) return membership
  const accepted = { acceptedAt: new Date(), heldUntil: getNewRoleHold() }
  await tx.member.update({ where: { id: membership.id }, data: accepted })
  await ctx.record(tx, { userId: ctx.user.id, organizationId, action: 'accept-membership' })
  return { ...membership, ...accepted }
}

/** Lock the organization first. ORGANIZATION_SUSPENDED. */
export async function assertNotSuspended(tx: Transaction, id: string): Promise<void> {
  if (await isSuspended(tx, id)) throw new AppError('ORGANIZATION_SUSPENDED')
}

export const isSuspended = async (db: Transaction, id: string): Promise<boolean> =>
  (await db.organization.count({ where: { id, suspendedAt: { not: null } } })) > 0

/** Until then, a person with a new role withdraws nothing for the organization: a thief may have given it. */
export const getNewRoleHold = (): Date => new Date(Date.now() + policy.organizations.newRoleHold * 1000)

/** Inserts into the lowest free slot; the unique (user, slot) enforces the user's limit. The caller holds both locks. */
export async function createMembership(
  tx: Transaction,
  {
    id,
    organizationId,
    userId,
    role,
    acceptedAt,
    heldUntil,
  }: Pick<Membership, 'id' | 'organizationId' | 'userId' | 'role' | 'acceptedAt' | 'heldUntil'>,
): Promise<Membership> {
  const members = await tx.member.findMany({ where: { organizationId }, select: { userId: true } })
  if (members.some((member) => member.userId === userId)) throw new AppError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
  if (members.length >= policy.organizations.members) throw new AppError('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
  const taken = await tx.$executeRaw`
    INSERT INTO members (id, organization_id, user_id, role, accepted_at, held_until, slot)
    SELECT ${id}, ${organizationId}, ${userId}, ${role}, ${acceptedAt}::timestamp, ${heldUntil}::timestamp, min(slot)
    FROM generate_series(1, ${policy.organizations.perUser}::int) slot
    WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = ${userId} AND m.slot = slot.slot)
    HAVING min(slot) IS NOT NULL
    ON CONFLICT (user_id, slot) DO NOTHING`
  if (taken === 0) throw new AppError('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS')
  return requireMembership(tx, organizationId, userId)
}

/** Deletes a membership and cancels the invitations that its user sent. The caller holds both locks. */
export async function deleteMembership(
  tx: Transaction,
  ctx: CancelContext,
  { id, organizationId, userId }: Membership,
): Promise<void> {
  await tx.member.delete({ where: { id } })
  await tx.session.updateMany({
    where: { userId, activeOrganizationId: organizationId },
    data: { activeOrganizationId: null },
  })
  await cancelInvitationsSentBy(tx, ctx, { organizationId, userId }, [...roles])
}

/** Cancels a member's open invitations to roles that the member may no longer give. */
export const cancelInvitationsSentBy = (
  tx: Transaction,
  ctx: CancelContext,
  { organizationId, userId }: Pick<Membership, 'organizationId' | 'userId'>,
  to: Role[],
): Promise<void> => cancelInvitations(tx, ctx, { organizationId, inviterId: userId, role: { in: to } })

export const canManageRole = (caller: Membership, role: string): boolean => rolesUpTo(caller.role).some((known) => known === role)

/**
 * Guards changes of owners, which an undo of an email change cannot revert. A thief may have made the caller an owner.
 * SESSION_NOT_FRESH, ROLE_TOO_NEW, EMAIL_RECENTLY_CHANGED.
 */
export async function assertMayChangeOwners(
  tx: Transaction,
  { user, session }: ActiveSession,
  caller: Pick<Membership, 'heldUntil'>,
  touched: readonly string[],
): Promise<void> {
  if (!touched.includes('owner')) return
  assertReauthenticated(session)
  if (isHeld(caller)) throw new AppError('ROLE_TOO_NEW')
  await assertNoOpenUndo(tx, user.id)
}

/** Throws `refusal` when no other owner has accepted. The caller holds the organization's lock. */
export async function assertNotLastOwner(
  tx: Transaction,
  { organizationId, userId, role }: Membership,
  refusal: ErrorKey,
): Promise<void> {
  if (role !== 'owner') return
  const others = await tx.member.count({
    where: { organizationId, role: 'owner', acceptedAt: { not: null }, userId: { not: userId } },
  })
  if (others === 0) throw new AppError(refusal)
}
