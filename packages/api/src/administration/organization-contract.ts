import { z } from 'zod'
import { policy } from '../kernel/policy.ts'
import { reasonField, rowId, userIdField, wholeNumber } from './fields.ts'

const { mostListed } = policy.administration
const organizationId = rowId.describe('The id of an organization')

export const findOrganizationsInput = z
  .strictObject({
    searchValue: z.string().trim().min(1).max(254).optional().describe('An id, or the beginning of a short name or of a name'),
    limit: wholeNumber(mostListed).default(mostListed).describe(`At most ${mostListed}`),
    after: rowId.optional().describe('The last id of the page before'),
  })
  .refine(({ searchValue, after }) => searchValue === undefined || after === undefined, {
    path: ['after'],
    message: 'is for a list without searchValue',
  })
  .optional()

export const getAnyOrganizationInput = z.strictObject({ id: organizationId })

export const suspendOrganizationInput = z.strictObject({ organizationId, reason: reasonField })

export const changeOrganizationOwnerInput = z.strictObject({
  organizationId,
  userId: userIdField.describe('The member who becomes the only owner'),
  reason: reasonField,
})
