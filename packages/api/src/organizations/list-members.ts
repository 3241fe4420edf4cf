import type { Prisma } from '@floorpass/db'
import type { z } from 'zod'
import { sessionProcedure } from '../trpc.ts'
import { listMembersInput } from './contract.ts'
import { requireCallerMembership } from './membership.ts'
import { presentMemberWithUser } from './present-organization.ts'

export const listMembers = sessionProcedure.input(listMembersInput).query(async ({ ctx, input }) => {
  const { organizationId } = await requireCallerMembership(ctx, input)
  const { sortBy, sortDirection } = input
  const where: Prisma.MemberWhereInput = { organizationId, AND: [buildFilter(input), buildSearch(input)] }
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

function buildFilter({
  filterField,
  filterValue = [],
  filterOperator,
}: z.output<typeof listMembersInput>): Prisma.MemberWhereInput {
  if (filterField === undefined) return {}
  const values = [filterValue].flat()
  const [value = ''] = values
  const typed = filterField === 'createdAt' ? new Date(value) : value
  const pattern = escapeWildcards(value)
  const conditions = {
    eq: { equals: typed },
    ne: { not: typed },
    lt: { lt: typed },
    lte: { lte: typed },
    gt: { gt: typed },
    gte: { gte: typed },
    in: { in: values },
    not_in: { notIn: values },
    contains: { contains: pattern },
    starts_with: { startsWith: pattern },
    ends_with: { endsWith: pattern },
  }
  return { [filterField]: conditions[filterOperator] }
}

function buildSearch({ search }: z.output<typeof listMembersInput>): Prisma.MemberWhereInput {
  if (search === undefined) return {}
  const contains = { contains: escapeWildcards(search), mode: 'insensitive' as const }
  return { user: { OR: [{ name: contains }, { email: contains }] } }
}

/** Prisma leaves the wildcards of LIKE in the text. */
const escapeWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
