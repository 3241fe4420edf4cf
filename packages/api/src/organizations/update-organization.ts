import { isDeepStrictEqual } from 'node:util'
import { isUniqueViolation, type Prisma } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { mutation } from '../mutation.ts'
import { updateOrganizationInput } from './contract.ts'
import { lockAsMember, requireOrganizationId } from './membership.ts'
import { presentOrganization } from './present-organization.ts'

/** Updates an organization; `metadata` is replaced as a whole. ORGANIZATION_SLUG_ALREADY_TAKEN, and errors of `lockAsMember`. */
export const updateOrganization = mutation({
  access: 'session',
  sensitive: false,
  input: updateOrganizationInput,
  limit: 'change-organization:user',
  events: ['update-organization', 'accept-membership'],
  mails: [],
  cookies: [],

  lock: (tx, { ctx, input }) => lockAsMember(tx, ctx, requireOrganizationId(ctx, input.organizationId)),
  async change(tx, { input, locked: { organizationId: id, role } }) {
    if (!may(role, 'organization', 'update')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
    const entries = Object.entries(input.data).filter(([, value]) => value !== undefined)
    const before = await tx.organization.findUniqueOrThrow({ where: { id } })
    const changed = entries.filter(([field, value]) => !isDeepStrictEqual(value, before[field as keyof typeof before]))
    if (changed.length === 0) return { events: [], result: presentOrganization(before) }
    const data: Prisma.OrganizationUpdateInput = Object.fromEntries(changed)
    const organization = await tx.organization.update({ where: { id }, data }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('ORGANIZATION_SLUG_ALREADY_TAKEN', { cause: error }) : error
    })
    const fields = changed.map(([field]) => field).join(',')
    return {
      events: [{ organizationId: id, action: 'update-organization', details: { fields } }],
      result: presentOrganization(organization),
    }
  },
})
