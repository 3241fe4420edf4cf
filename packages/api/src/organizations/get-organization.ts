import type { Transaction } from '@floorpass/db'
import type { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { may, rolesUpTo } from '../kernel/role-permissions.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { sessionProcedure } from '../trpc.ts'
import { getOrganizationInput } from './contract.ts'
import { type Membership, requireCallerMembership } from './membership.ts'
import { presentInvitation, presentMemberWithUser, presentOrganization } from './present-organization.ts'

/** Returns an organization of the caller; null without a named or active one. ORGANIZATION_NOT_FOUND for non-members too. */
export const getOrganization = sessionProcedure.input(getOrganizationInput).query(async ({ ctx, input }) => {
  if (!isSelected(ctx, input)) return null
  return getOrganizationDetails(ctx.db, await requireCallerMembership(ctx, input), input.membersLimit)
})

/** Like `getOrganization`, without members and invitations. */
export const getOrganizationWithoutMembers = sessionProcedure.input(getOrganizationInput).query(async ({ ctx, input }) => {
  if (!isSelected(ctx, input)) return null
  const { organizationId } = await requireCallerMembership(ctx, input)
  const found = await ctx.db.organization.findUnique({ where: { id: organizationId } })
  if (!found) throw new AppError('ORGANIZATION_NOT_FOUND')
  return presentOrganization(found)
})

type Selection = Pick<z.output<typeof getOrganizationInput>, 'organizationId' | 'organizationSlug'>

const isSelected = ({ session }: Pick<ActiveSession, 'session'>, { organizationId, organizationSlug }: Selection): boolean =>
  (organizationId ?? organizationSlug ?? session.activeOrganizationId) !== null

export async function getOrganizationDetails(
  db: Transaction,
  viewer: Membership,
  membersLimit: number = policy.organizations.members,
) {
  const found = await db.organization.findUnique({
    where: { id: viewer.organizationId },
    include: {
      members: { include: { user: true }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: membersLimit },
    },
  })
  if (!found) throw new AppError('ORGANIZATION_NOT_FOUND')
  const { members, ...organization } = found
  return {
    ...presentOrganization(organization),
    members: members.map(presentMemberWithUser),
    invitations: may(viewer.role, 'invitation', 'create') ? await listVisibleInvitations(db, viewer) : [],
  }
}

/** Lists the newest invitations to roles up to the viewer's, of one status or of any. */
export async function listVisibleInvitations(db: Transaction, viewer: Membership, status?: string) {
  const invitations = await db.invitation.findMany({
    where: {
      organizationId: viewer.organizationId,
      role: { in: [...rolesUpTo(viewer.role)] },
      ...(status !== undefined && { status }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: policy.organizations.listedInvitations,
  })
  return invitations.map(presentInvitation)
}
