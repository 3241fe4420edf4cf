import { z } from 'zod'
import { auditActions } from '../audit-log/audit-actions.ts'
import { administratorRoles } from '../kernel/administrator-roles.ts'
import { emailAddress, imageUrl, locale, password, personName, riskLevel } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { userIdField as id, reasonField, wholeNumber } from './fields.ts'

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

/** better-auth's client sends none. */
const reason = reasonField.default('no reason given')

export const banUserInput = z.strictObject({
  userId: id,
  banReason: reasonField,
  banExpiresIn: z
    .int()
    .min(60)
    .max(policy.administration.longestSuspension)
    .optional()
    .describe('Seconds until the suspension ends by itself, within a minute'),
})

export const unbanUserInput = z.strictObject({
  userId: id,
  reason,
  clearPassword: z.boolean().default(false).describe('Mails a link to choose a new password'),
})

/** For an act that takes nothing but its user. */
export const actOnUserInput = z.strictObject({ userId: id, reason })

const existentRole = z.enum(['user', ...administratorRoles])

export const setRoleInput = z.strictObject({
  userId: id,
  role: z
    .union([z.string().max(40), z.array(z.string().max(40)).max(10)])
    .transform((roles) => [roles].flat())
    .describe('`user`, `auditor`, `support` or `admin`; as a text or in an array'),
  reason,
})

export const createUserInput = z.strictObject({
  email: emailAddress,
  name: personName,
  password: password.optional(),
  role: z
    .union([existentRole, z.array(existentRole).length(1)])
    .transform((roles) => [roles].flat()[0] ?? 'user')
    .default('user'),
  data: z.strictObject({ image: imageUrl.optional(), riskLevel: riskLevel.optional(), locale: locale.optional() }).default({}),
  reason,
})

/** Loose, so that `update-user` can name the forbidden fields. */
export const updateUserOfAdministratorInput = z.strictObject({
  userId: id,
  data: z.looseObject({
    name: personName.optional(),
    image: imageUrl.nullable().optional(),
    locale: locale.optional(),
    email: emailAddress.optional(),
  }),
  reason,
})

export const setUserPasswordInput = z.strictObject({ userId: id, newPassword: password, reason })

export const listApprovalsInput = z.strictObject({ userId: id.optional().describe('Only of this user') }).optional()

export const rejectApprovalInput = z.strictObject({
  approvalId: z.string().min(1).max(128).describe('The id of a request in `list-approvals`'),
})

export const impersonateUserInput = z.strictObject({
  userId: id,
  reason: reasonField.describe('Why. The user reads it in an email and in their activity'),
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
