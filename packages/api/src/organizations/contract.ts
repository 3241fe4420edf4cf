import { z } from 'zod'
import { fieldLengths, problem } from '../kernel/field-problems.ts'
import { emailAddress, imageUrl, personName } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'

/** Page paths, names that suggest an official account, and words with a meaning in programs. */
const reservedSlugs: ReadonlySet<string> = new Set(
  `about accept-invitation account accounts active active-organization admin administrator api api-keys app assets auth badges billing blog cdn confirm create create-passkey
  danger dashboard delete delete-account dev docs edit email error errors false favicon floorpass forgot-password
  healthz help index invitations invite language legal livez log-in log-out login logout mail me members metrics nan new none
  null official openapi organization organizations owner panic password password-strength privacy profile public readyz reauthenticate reauthentication reference register
  reset-password robots root security session sessions settings sign-in sign-out sign-up signin signout signup
  smoke-tests static status stop-impersonating support system team teams terms test test-badges theme trpc true two-factor undefined
  undo-email-change user users verify-email well-known www`.split(/\s+/),
)

export const organizationLimits = policy.organizations

const id = z.string().min(1).max(64)

export const organizationName = personName.regex(/[\p{L}\p{N}]/u, problem('nameWithoutLetter'))

export const organizationSlug = z
  .string()
  .trim()
  .toLowerCase()
  .min(1, problem('slugMissing'))
  .max(fieldLengths.slug, problem('slugTooLong'))
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, problem('slugForm'))
  .refine((slug) => !reservedSlugs.has(slug), problem('slugReserved'))

const metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= policy.organizations.metadata,
    `Too large: at most ${policy.organizations.metadata} bytes of JSON`,
  )

/** better-auth's client may send a list. Unknown roles are refused later, with ROLE_NOT_FOUND. */
const role = z
  .union([z.string().min(1).max(64), z.array(z.string().min(1).max(64)).length(1, 'A member has one role')])
  .transform((named) => (typeof named === 'string' ? named : (named[0] ?? '')))

const organizationId = id.optional()

const wholeNumber = (most: number) => z.coerce.number().int().min(0).max(most)

export const createOrganizationInput = z.object({
  name: organizationName,
  slug: organizationSlug,
  logo: imageUrl.nullable().optional(),
  metadata: metadata.optional(),
  keepCurrentActiveOrganization: z.boolean().default(false),
})

export const updateOrganizationInput = z.object({
  organizationId,
  data: z.object({
    name: organizationName.optional(),
    slug: organizationSlug.optional(),
    logo: imageUrl.nullable().optional(),
    metadata: metadata.optional(),
  }),
})

export const deleteOrganizationInput = z.object({ organizationId: id })

export const getOrganizationInput = z.object({
  organizationId,
  organizationSlug: z.string().min(1).max(fieldLengths.slug).optional(),
  membersLimit: wholeNumber(policy.organizations.members).default(policy.organizations.members),
})

export const checkSlugInput = z.object({ slug: organizationSlug })

export const setActiveOrganizationInput = z
  .object({ organizationId: id.nullable().optional(), organizationSlug: z.string().min(1).max(fieldLengths.slug).optional() })
  .refine((input) => input.organizationId !== undefined || input.organizationSlug !== undefined, {
    error: 'Provide organizationId or organizationSlug',
  })

export const addMemberInput = z.object({ userId: id, role, organizationId })

export const removeMemberInput = z.object({ memberIdOrEmail: z.string().min(1).max(fieldLengths.email), organizationId })

export const updateMemberRoleInput = z.object({ memberId: id, role, organizationId })

export const acceptMembershipInput = z.object({ organizationId: id })

export const leaveOrganizationInput = z.object({ organizationId: id })

const textOperators = ['eq', 'ne', 'in', 'not_in', 'contains', 'starts_with', 'ends_with'] as const
const dateOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const

const filterText = z.string().min(1).max(64)
/** PostgreSQL knows no year 0. */
const filterDate = z.iso
  .datetime({ offset: true, error: 'Invalid date: ISO 8601 with a time zone', abort: true })
  .refine((date) => new Date(date).getUTCFullYear() > 0, 'Invalid date: before the year 1')

export const listMembersInput = z
  .object({
    organizationId,
    organizationSlug: z.string().min(1).max(fieldLengths.slug).optional(),
    limit: wholeNumber(policy.organizations.members).default(policy.organizations.members),
    offset: wholeNumber(1_000_000).default(0),
    sortBy: z.enum(['createdAt', 'role']).default('createdAt'),
    sortDirection: z.enum(['asc', 'desc']).default('asc'),
    filterField: z.enum(['id', 'role', 'userId', 'createdAt']).optional(),
    filterValue: z.union([filterText, z.array(filterText).min(1).max(policy.organizations.members)]).optional(),
    filterOperator: z.enum([...new Set([...textOperators, ...dateOperators])]).default('eq'),
    search: z.string().trim().min(1).max(fieldLengths.email).optional().describe('A part of the name or email, in any case'),
  })
  .superRefine(({ filterField, filterValue, filterOperator }, ctx) => {
    const refuse = (name: string, message: string) => ctx.addIssue({ code: 'custom', path: [name], message })
    if (filterField === undefined) return
    const isDate = filterField === 'createdAt'
    const operators: readonly string[] = isDate ? dateOperators : textOperators
    if (!operators.includes(filterOperator))
      refuse('filterOperator', `Invalid operator for ${filterField}: ${operators.join(', ')}`)
    if (filterValue === undefined) return refuse('filterValue', 'Provide a value for filterField')
    if (Array.isArray(filterValue) && !['in', 'not_in'].includes(filterOperator))
      return refuse('filterValue', 'Only in and not_in take several values')
    if (isDate) for (const issue of filterDate.safeParse(filterValue).error?.issues ?? []) refuse('filterValue', issue.message)
  })

export const activeMemberInput = z.object({ organizationId })

export const activeMemberRoleInput = z.object({
  organizationId,
  organizationSlug: z.string().min(1).max(fieldLengths.slug).optional(),
  userId: id.optional(),
})

export const hasPermissionInput = z.object({
  permissions: z.record(z.string().max(64), z.array(z.string().max(64)).max(64)),
  organizationId,
})

export const inviteMemberInput = z.object({ email: emailAddress, role, organizationId, resend: z.boolean().default(false) })

/** The id of an invitation, or the secret of its mail. */
const invitationId = z.string().min(1).max(512)

export const answerInvitationInput = z.object({ invitationId })

export const cancelInvitationInput = z.object({ invitationId: id })

export const getInvitationInput = z.object({ id: invitationId })

export const listInvitationsInput = z.object({
  organizationId,
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']).optional().describe('Only invitations of this status'),
})

export const listOrganizationActivityInput = z.object({
  organizationId,
  organizationSlug: z.string().min(1).max(fieldLengths.slug).optional(),
  cursor: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})
