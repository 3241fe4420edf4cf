import type { Transaction } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { policy } from '../kernel/policy.ts'
import { type Mails, sendMembershipDropped } from '../mail/notifications.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import type { CancelContext } from './invitation.ts'
import { deleteMembership, findMembership, lockOrganizations } from './membership.ts'

/** At the limit, ends the caller's newest unaccepted membership. Locks its organization together with the `joined` one. */
export async function freeSlot(
  ctx: Context & ActiveSession & CancelContext & Records<'drop-membership'> & Mails<'membership-dropped'>,
  tx: Transaction,
  joined?: string,
): Promise<void> {
  const userId = ctx.user.id
  const memberships = await tx.member.findMany({ where: { userId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })
  const isFull = memberships.length >= policy.organizations.perUser
  const dropped = memberships.find(
    ({ acceptedAt, organizationId }) => isFull && acceptedAt === null && organizationId !== joined,
  )?.organizationId
  await lockOrganizations(
    tx,
    [joined, dropped].filter((id) => id !== undefined),
  )
  // The organization may have been deleted before the lock.
  const membership = dropped === undefined ? null : await findMembership(tx, dropped, userId)
  if (!membership) return
  const { organizationId, role } = membership
  await deleteMembership(tx, ctx, membership)
  const owners = await tx.member.findMany({ where: { organizationId, role: 'owner' } })
  const event = { organizationId, action: 'drop-membership' as const, details: { role } }
  const ownersEvents = owners.map((owner) => ({ ...event, userId: owner.userId, actorId: userId }))
  await ctx.record(tx, { ...event, userId }, ...ownersEvents)
  const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  const { name } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
  await sendMembershipDropped(ctx, tx, user, { organization: name, most: policy.organizations.perUser })
}
