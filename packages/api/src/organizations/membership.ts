import type { Member, Transaction } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { lockCaller } from '../users/lock-user.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { type Caller, cancelInvitations } from './invitation.ts'
import { type Role, roles, rolesUpTo } from './permissions.ts'

// Every change here locks users first (in the order of their ids), the organization second, rows last. So two changes never wait
// for each other in a circle, and what a rule has read under the locks still holds when it writes.

export type Membership = Member & { role: Role }

/** The role of this name. ROLE_NOT_FOUND. */
export function roleNamed(name: string): Role {
  const role = roles.find((known) => known === name)
  if (!role) throw new AppError('ROLE_NOT_FOUND')
  return role
}

/** The organization that an input names, or the session's active one. NO_ACTIVE_ORGANIZATION. */
export function namedOrActive({ session }: Pick<ActiveSession, 'session'>, organizationId: string | undefined): string {
  const id = organizationId ?? session.activeOrganizationId
  if (id === null) throw new AppError('NO_ACTIVE_ORGANIZATION')
  return id
}

/** Somebody's membership, or null. */
export const findMembership = (db: Transaction, organizationId: string, userId: string): Promise<Membership | null> =>
  db.member.findUnique({ where: { organizationId_userId: { organizationId, userId } } }) as Promise<Membership | null>

/** The same, for rules that are for members only: to everybody else an organization does not exist. ORGANIZATION_NOT_FOUND. */
export async function requireMembership(db: Transaction, organizationId: string, userId: string): Promise<Membership> {
  const membership = await findMembership(db, organizationId, userId)
  if (!membership) throw new AppError('ORGANIZATION_NOT_FOUND')
  return membership
}

/** The membership of a caller who only reads, in the organization that is named by slug, by id, or by being active. */
export async function readAsMember(
  { db, user, session }: Context & ActiveSession,
  { organizationId, organizationSlug }: { organizationId?: string | undefined; organizationSlug?: string | undefined },
): Promise<Membership> {
  if (organizationSlug === undefined) return requireMembership(db, namedOrActive({ session }, organizationId), user.id)
  const membership = await db.member.findFirst({ where: { userId: user.id, organization: { slug: organizationSlug } } })
  if (!membership) throw new AppError('ORGANIZATION_NOT_FOUND')
  return membership as Membership
}

/** Changes of one organization take turns. False when it is gone. Only after the locks of users. */
export async function lockOrganization(tx: Transaction, organizationId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`
  return rows.length > 0
}

/** The same for several, in the order of their ids. */
export async function lockOrganizations(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.$queryRaw`SELECT id FROM organizations WHERE id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`
}

/**
 * The first statements of a change: locks the caller, the `others` whose membership or sessions it touches, and the organization.
 * Answers the caller's membership as it is now: a member who changes something here accepts the membership by it. UNAUTHORIZED,
 * ORGANIZATION_NOT_FOUND. Non-members are refused before another user's row is locked.
 */
export async function changeAsMember(
  tx: Transaction,
  ctx: ActiveSession & Caller,
  organizationId: string,
  others: readonly string[] = [],
): Promise<Membership> {
  if (others.length > 0) await requireMembership(tx, organizationId, ctx.user.id)
  await lockCaller(tx, ctx, others)
  await lockOrganization(tx, organizationId)
  const membership = await requireMembership(tx, organizationId, ctx.user.id)
  if (membership.acceptedAt) return membership
  const acceptedAt = new Date()
  await tx.member.update({ where: { id: membership.id }, data: { acceptedAt } })
  await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, organizationId, action: 'accept-membership' })
  return { ...membership, acceptedAt }
}

/**
 * Makes a user a member. One statement picks the lowest free slot and takes it; a user has as many slots as they may have
 * organizations, and the unique pair (user, slot) keeps two from sharing one. Both locks are held.
 * USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION, ORGANIZATION_MEMBERSHIP_LIMIT_REACHED, YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS.
 */
export async function beginMembership(
  tx: Transaction,
  { id, organizationId, userId, role, acceptedAt }: Pick<Membership, 'id' | 'organizationId' | 'userId' | 'role' | 'acceptedAt'>,
): Promise<Membership> {
  const members = await tx.member.findMany({ where: { organizationId }, select: { userId: true } })
  if (members.some((member) => member.userId === userId)) throw new AppError('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
  if (members.length >= policy.organizations.members) throw new AppError('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED')
  const taken = await tx.$executeRaw`
    INSERT INTO members (id, organization_id, user_id, role, accepted_at, slot)
    SELECT ${id}, ${organizationId}, ${userId}, ${role}, ${acceptedAt}::timestamp, min(slot)
    FROM generate_series(1, ${policy.organizations.perUser}::int) slot
    WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = ${userId} AND m.slot = slot.slot)
    HAVING min(slot) IS NOT NULL
    ON CONFLICT (user_id, slot) DO NOTHING`
  if (taken === 0) throw new AppError('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS')
  return requireMembership(tx, organizationId, userId)
}

/** Ends a membership: it is no longer active in any session, and invitations of that person are void. Both locks are held. */
export async function endMembership(tx: Transaction, ctx: Caller, { id, organizationId, userId }: Membership): Promise<void> {
  await tx.member.delete({ where: { id } })
  await tx.session.updateMany({
    where: { userId, activeOrganizationId: organizationId },
    data: { activeOrganizationId: null },
  })
  await cancelInvitationsOf(tx, ctx, { organizationId, userId }, [...roles])
}

/** Voids the open invitations to these roles that somebody sent: who lost the right to give a role must not have given it in advance. */
export const cancelInvitationsOf = (
  tx: Transaction,
  ctx: Caller,
  { organizationId, userId }: Pick<Membership, 'organizationId' | 'userId'>,
  to: Role[],
): Promise<void> => cancelInvitations(tx, ctx, { organizationId, inviterId: userId, role: { in: to } })

/** Whether the caller's role reaches as high as this one. */
export const reaches = (caller: Membership, role: string): boolean => rolesUpTo(caller.role).some((known) => known === role)

/**
 * Who owns an organization, and whether it exists, is a sensitive matter: changing it needs a recent reauthentication, and no undo of the
 * caller's address may be open, since an undo could not bring it back. SESSION_NOT_FRESH, EMAIL_RECENTLY_CHANGED.
 */
export async function assertMayChangeOwners(
  tx: Transaction,
  { user, session }: ActiveSession,
  touched: readonly string[],
): Promise<void> {
  if (!touched.includes('owner')) return
  assertReauthenticated(session)
  await assertNoOpenUndo(tx, user.id)
}

/** Refuses what would leave the organization without an owner who accepted the membership. The organization's lock is held. */
export async function refuseLastOwner(
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
