import { sessionProcedure } from '../trpc.ts'
import { presentOrganization } from './present-organization.ts'

export const listOrganizations = sessionProcedure.query(async ({ ctx }) => {
  const memberships = await ctx.db.member.findMany({
    where: { userId: ctx.user.id },
    include: { organization: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return memberships.map(({ organization, role, acceptedAt }) => ({ ...presentOrganization(organization), role, acceptedAt }))
})
