import type { AuditEvent } from '@floorpass/db'
import type { AuditAction } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { may, rolesUpTo } from '../kernel/role-permissions.ts'
import { sessionProcedure } from '../trpc.ts'
import { listOrganizationActivityInput } from './contract.ts'
import { type Membership, requireCallerMembership } from './membership.ts'

/** The only events that an organization sees. Sign-ins and other events of a member's account stay private. */
const organizationActions = [
  'create-organization',
  'update-organization',
  'add-member',
  'accept-membership',
  'drop-membership',
  'remove-member',
  'update-member-role',
  'leave-organization',
  'change-organization-owner',
  'invite-member',
  'accept-invitation',
  'reject-invitation',
  'cancel-invitation',
  'create-api-key',
  'update-api-key',
  'delete-api-key',
  'report-api-key',
] as const satisfies AuditAction[]

export type OrganizationAction = (typeof organizationActions)[number]

/** Their user is the member whom they concern. */
const memberActions: ReadonlySet<string> = new Set<OrganizationAction>([
  'add-member',
  'accept-membership',
  'drop-membership',
  'remove-member',
  'update-member-role',
  'leave-organization',
  'change-organization-owner',
  'accept-invitation',
])

/** Lists an organization's events, newest first, without devices and IP addresses. ROLE_REQUIRED for members; also errors of `requireCallerMembership`. */
export const listOrganizationActivity = sessionProcedure.input(listOrganizationActivityInput).query(async ({ ctx, input }) => {
  const viewer = await requireCallerMembership(ctx, input)
  const { organizationId } = viewer
  if (!may(viewer.role, 'organization', 'update')) throw new AppError('ROLE_REQUIRED')
  const rows = await ctx.db.auditEvent.findMany({
    where: {
      organizationId,
      action: { in: [...organizationActions] },
      // The owners' copies of an event that the member has too.
      NOT: { action: 'drop-membership', actorId: { not: null } },
      ...(input.cursor !== undefined && { id: { lt: input.cursor } }),
    },
    orderBy: { id: 'desc' },
    take: input.limit + 1,
  })
  const page = rows.slice(0, input.limit)
  const [people, emails] = await Promise.all([findPeople(ctx, page), findInvitedEmails(ctx, viewer, page)])
  return {
    events: page.map((event) => {
      const { id, action, userId, actorId, createdAt } = event
      const { invitationId, ...details } = detailsOf(event)
      return {
        id,
        action,
        // An invited person who declines stays unknown: the organization knows only the email.
        // An administrator of the service is shown as support.
        actor: ['reject-invitation', 'change-organization-owner'].includes(action)
          ? null
          : (people.get(actorId ?? userId) ?? null),
        member: memberActions.has(action) ? (people.get(userId) ?? null) : null,
        invitedEmail: emails.get(String(invitationId)) ?? null,
        details,
        createdAt,
      }
    }),
    nextCursor: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
  }
})

const detailsOf = ({ details }: AuditEvent) => (details ?? {}) as Record<string, string | number | boolean>

async function findPeople({ db }: Context, events: readonly AuditEvent[]): Promise<Map<string, { id: string; name: string }>> {
  const ids = events.flatMap(({ userId, actorId }) => [userId, ...(actorId === null ? [] : [actorId])])
  const users = await db.user.findMany({ where: { id: { in: [...new Set(ids)] } }, select: { id: true, name: true } })
  return new Map(users.map((user) => [user.id, user]))
}

/** Of the invitations that the viewer may see in `list-invitations`. */
async function findInvitedEmails(
  { db }: Context,
  { organizationId, role }: Membership,
  events: readonly AuditEvent[],
): Promise<Map<string, string>> {
  const ids = events.map((event) => detailsOf(event).invitationId).filter((id) => typeof id === 'string')
  const invitations = await db.invitation.findMany({
    where: { organizationId, id: { in: ids }, role: { in: [...rolesUpTo(role)] } },
  })
  return new Map(invitations.map(({ id, email }) => [id, email]))
}
