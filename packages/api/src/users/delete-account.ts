import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { type Mails, sendAccountDeleted } from '../mail/notifications.ts'

export async function deleteSoleOrganizations(tx: Transaction, userId: string): Promise<void> {
  await tx.organization.deleteMany({ where: { id: { in: await findSoleOrganizations(tx, userId) } } })
}

/**
 * Locks the organizations that the user owns, and returns those without another member. Two leaving owners wait for each other.
 * YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER; ORGANIZATION_SUSPENDED when one would be deleted.
 */
export async function findSoleOrganizations(tx: Transaction, userId: string): Promise<string[]> {
  const owned = await tx.$queryRaw<{ id: string; slug: string; isSuspended: boolean }[]>`
    SELECT o.id, o.slug, o.suspended_at IS NOT NULL AS "isSuspended" FROM organizations o JOIN members m ON m.organization_id = o.id
    WHERE m.user_id = ${userId} AND m.role = 'owner' ORDER BY o.id FOR UPDATE OF o`
  const others = await tx.member.findMany({
    where: { organizationId: { in: owned.map(({ id }) => id) }, userId: { not: userId } },
  })
  const hasOthers = ({ id }: { id: string }) => others.some(({ organizationId }) => organizationId === id)
  const hasOwner = ({ id }: { id: string }) =>
    others.some(({ organizationId, role, acceptedAt }) => organizationId === id && role === 'owner' && acceptedAt !== null)

  const orphaned = owned.filter((organization) => hasOthers(organization) && !hasOwner(organization))
  if (orphaned.length > 0) {
    const organizations = orphaned.map(({ slug }) => slug)
    throw new AppError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', { organizations })
  }
  const empty = owned.filter((organization) => !hasOthers(organization))
  if (empty.some(({ isSuspended }) => isSuspended)) throw new AppError('ORGANIZATION_SUSPENDED')
  return empty.map(({ id }) => id)
}

/** Foreign keys cascade to the account's other rows. */
export async function deleteAccount(ctx: Context & Mails<'account-deleted'>, tx: Transaction, user: User): Promise<void> {
  await tx.invitation.deleteMany({ where: { OR: [{ email: user.email }, { inviterId: user.id, status: 'pending' }] } })
  // Every transaction locks devices before sessions. The cascade would use the other order.
  await tx.trustedDevice.deleteMany({ where: { userId: user.id } })
  // The mail shows the phrase of the row.
  await sendAccountDeleted(ctx, tx, user)
  const { count } = await tx.user.deleteMany({ where: { id: user.id } })
  if (count === 0) throw new AppError('UNAUTHORIZED')
}
