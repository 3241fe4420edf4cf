import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { sessionProcedure } from '../trpc.ts'
import { getOrganizationInput } from './contract.ts'
import { type Membership, readAsMember } from './membership.ts'
import { may, rolesUpTo } from './permissions.ts'
import { presentInvitation, presentMemberWithUser, presentOrganization } from './present-organization.ts'

/**
 * One organization of the caller with its members and, for those who may invite, its invitations; null when none is named and
 * none active. Spec: Organizations. ORGANIZATION_NOT_FOUND, the same for one that does not exist and for somebody else's.
 */
export const getOrganization = sessionProcedure.input(getOrganizationInput).query(async ({ ctx, input }) => {
  const isNamed = input.organizationId !== undefined || input.organizationSlug !== undefined
  if (!isNamed && ctx.session.activeOrganizationId === null) return null
  return showOrganization(ctx.db, await readAsMember(ctx, input), input.membersLimit)
})

/** An organization as this member sees it. */
export async function showOrganization(db: Transaction, viewer: Membership, membersLimit: number = policy.organizations.members) {
  const found = await db.organization.findUnique({
    where: { id: viewer.organizationId },
    include: {
      members: { include: { user: true }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: membersLimit },
    },
  })
  // It may go between the two reads.
  if (!found) throw new AppError('ORGANIZATION_NOT_FOUND')
  const { members, ...organization } = found
  return {
    ...presentOrganization(organization),
    members: members.map(presentMemberWithUser),
    invitations: may(viewer.role, 'invitation', 'create') ? await showInvitations(db, viewer) : [],
  }
}

/** The newest invitations that this member may see: none to a role above their own. */
export async function showInvitations(db: Transaction, viewer: Membership) {
  const invitations = await db.invitation.findMany({
    where: { organizationId: viewer.organizationId, role: { in: [...rolesUpTo(viewer.role)] } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: policy.organizations.listedInvitations,
  })
  return invitations.map(presentInvitation)
}
