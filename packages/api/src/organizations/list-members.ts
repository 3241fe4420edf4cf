import type { Prisma } from '@floorpass/db'
import { sessionProcedure } from '../trpc.ts'
import { listMembersInput } from './contract.ts'
import { requireCallerMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

export const listMembers = sessionProcedure.input(listMembersInput).query(async ({ ctx, input }) => {
  const { organizationId } = await requireCallerMembership(ctx, input)
  const { filterField, filterValue, filterOperator, sortBy, sortDirection } = input
  const where: Prisma.MemberWhereInput = { organizationId }
  if (filterField && filterValue !== undefined) where[filterField] = filterOperator === 'eq' ? filterValue : { not: filterValue }
  const [members, total] = await ctx.db.$transaction([
    ctx.db.member.findMany({
      where,
      include: { user: true },
      orderBy: [{ [sortBy]: sortDirection }, { id: 'asc' }],
      take: input.limit,
      skip: input.offset,
    }),
    ctx.db.member.count({ where }),
  ])
  return { members: members.map(presentMemberWithUser), total }
})
