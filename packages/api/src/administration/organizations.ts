import type { Organization } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { presentMemberWithUser, presentOrganization } from '../organizations/present-organization.ts'
import { administratorProcedure } from '../trpc.ts'
import { orEstimate, take } from './count-all.ts'
import { mostFound } from './find-users.ts'
import type { Reader } from './operator.ts'
import { findOrganizationsInput, getAnyOrganizationInput } from './organization-contract.ts'

/** Finds at most `mostFound` organizations by id, or by the beginning of their short name or name. */
export async function findOrganizations({ ctx }: Reader, term: string): Promise<Organization[]> {
  const from = term.toLowerCase()
  // As in `findUsers`.
  const to = `${from}\u{10ffff}`
  return ctx.replica.read(async (db) => {
    const found = await db.$queryRaw<{ id: string }[]>`
    (SELECT id FROM organizations WHERE id = ${term})
    UNION (
      SELECT id FROM organizations WHERE slug COLLATE "C" >= ${from} AND slug COLLATE "C" < ${to}
      ORDER BY slug COLLATE "C" LIMIT ${mostFound})
    UNION (
      SELECT id FROM organizations WHERE lower(name) COLLATE "C" >= ${from} AND lower(name) COLLATE "C" < ${to}
      ORDER BY lower(name) COLLATE "C" LIMIT ${mostFound})`
    return db.organization.findMany({
      where: { id: { in: found.map(({ id }) => id) } },
      orderBy: { slug: 'asc' },
      take: mostFound,
    })
  })
}

/** With members in the order in which they joined. ORGANIZATION_NOT_FOUND. */
export async function showOrganization({ ctx }: Reader, id: string) {
  const organization = await ctx.db.organization.findUnique({
    where: { id },
    include: { members: { include: { user: true }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  })
  if (!organization) throw new AppError('ORGANIZATION_NOT_FOUND')
  const [invitations, apiKeys] = await Promise.all([
    ctx.db.invitation.count({ where: { organizationId: id, status: 'pending', expiresAt: { gt: new Date() } } }),
    ctx.db.apiKey.count({ where: { organizationId: id } }),
  ])
  return {
    ...presentFoundOrganization(organization),
    members: organization.members.map(presentMemberWithUser),
    pendingInvitations: invitations,
    apiKeys,
  }
}

export const presentFoundOrganization = (organization: Organization) => ({
  ...presentOrganization(organization),
  suspendedAt: organization.suspendedAt,
})

/** Newest first. A search finds at most `mostFound` organizations, sorted by their short name. */
export const listAllOrganizations = administratorProcedure('organization:list')
  .input(findOrganizationsInput)
  .query(async ({ ctx, input }) => {
    const { searchValue, limit = policy.administration.mostListed, after } = input ?? {}
    if (searchValue !== undefined) {
      const found = await findOrganizations({ ctx }, searchValue)
      return { organizations: found.slice(0, limit).map(presentFoundOrganization), total: found.length }
    }
    return ctx.replica.read(async (db) => {
      const organizations = await db.organization.findMany({
        where: after === undefined ? {} : { id: { lt: after } },
        orderBy: { id: 'desc' },
        take: limit,
      })
      const counted = await db.organization.count({ take })
      return {
        organizations: organizations.map(presentFoundOrganization),
        total: await orEstimate(db, counted, 'organizations'),
      }
    })
  })

/** ORGANIZATION_NOT_FOUND. */
export const getAnyOrganization = administratorProcedure('organization:get')
  .input(getAnyOrganizationInput)
  .query(({ ctx, input }) => showOrganization({ ctx }, input.id))
