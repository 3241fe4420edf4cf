import { z } from 'zod'
import { auditActions } from '../audit-log/audit-actions.ts'
import { policy } from '../kernel/policy.ts'
import { userIdField as id, wholeNumber } from './fields.ts'

const { mostListed, furthestOffset } = policy.administration

/** As better-auth's `adminClient` sends it, in the query. `contains` is read as `starts_with`: an index answers it. */
export const listUsersInput = z
  .strictObject({
    searchValue: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .optional()
      .describe(
        'The beginning of an email, of its domain, of a name or of a last name; or an id, `google:<id>` or `github:<id>`',
      ),
    searchField: z.enum(['email', 'name']).optional().describe('Accepted for `adminClient()`: both are searched'),
    searchOperator: z.enum(['contains', 'starts_with']).optional().describe('Both are read as `starts_with`'),
    filterField: z.enum(['role', 'banned']).optional().describe('Lists only the users with this `filterValue`'),
    filterOperator: z.literal('eq').optional().describe('Accepted for `adminClient()`'),
    filterValue: z.string().max(20).optional().describe('A role, `user`, `true` or `false`'),
    sortBy: z.literal('createdAt').optional().describe('Accepted for `adminClient()`'),
    sortDirection: z.literal('desc').optional().describe('Accepted for `adminClient()`: newest first'),
    limit: wholeNumber(mostListed).default(mostListed).describe(`At most ${mostListed}`),
    offset: wholeNumber(furthestOffset).default(0).describe(`At most ${furthestOffset}: further pages need \`after\``),
    after: z.string().min(1).max(128).optional().describe('The last id of the page before: reads any number of users'),
  })
  .refine(({ filterField, filterValue }) => (filterField === undefined) === (filterValue === undefined), {
    path: ['filterValue'],
    message: 'filterField and filterValue belong together',
  })
  .refine(({ filterField, filterValue = '' }) => filterField !== 'banned' || ['true', 'false'].includes(filterValue), {
    path: ['filterValue'],
    message: 'must be true or false',
  })
  .refine(({ searchValue, after }) => searchValue === undefined || after === undefined, {
    path: ['after'],
    message: 'is for a list without searchValue',
  })
  .optional()

export const getUserInput = z.object({ id })

export const userOfAdministratorInput = z.object({ userId: id })

export const revokeUserSessionInput = z.object({
  sessionToken: z.string().min(1).max(64).describe('The `token` of the session in a list'),
})

export const banUserInput = z.strictObject({
  userId: id,
  banReason: z.string().trim().min(10).max(500).describe('Why, for the audit log. The user can read it in their activity'),
})

export const administratorPermissionInput = z.object({
  permissions: z
    .record(z.string().max(40), z.array(z.string().max(40)).min(1).max(20))
    .refine((map) => Object.keys(map).length > 0)
    .describe('Acts by resource, such as `{ "user": ["list"] }`'),
})

const mostEvents = 500

const auditFilter = z.strictObject({
  userId: id.optional().describe('Only of this user'),
  action: z.enum(auditActions).optional().describe('Only of this kind'),
  since: z.iso.datetime({ offset: true }).optional().describe('Not before this time'),
  until: z.iso.datetime({ offset: true }).optional().describe('Before this time'),
  before: z.string().min(1).max(128).optional().describe('The last id of the page before'),
})

export const listAuditEventsInput = auditFilter
  .extend({ limit: wholeNumber(mostEvents).default(100).describe(`At most ${mostEvents}`) })
  .optional()

export const exportAuditEventsInput = auditFilter.optional()

export type AuditFilterInput = z.output<typeof auditFilter>
