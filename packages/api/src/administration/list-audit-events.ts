import { type Operator, requireUser } from './operator.ts'

export type AuditFilter = {
  who?: string
  action?: string
  since?: Date
  until?: Date
  limit?: number
  /** The id of the last event that is known: older ones come. */
  before?: string
}

/** How many events come unless somebody says. */
export const usualEvents = 100

/**
 * What happened, the newest first: to one user, of one kind, between two moments, before one event. At most `limit` of them; null
 * when there is no event `before`. USER_NOT_FOUND.
 */
export async function listAuditEvents(
  operator: Operator,
  { who, action, since, until, limit = usualEvents, before }: AuditFilter,
) {
  const user = who === undefined ? null : await requireUser(operator, who)
  const last = before === undefined ? null : await operator.ctx.db.auditEvent.findUnique({ where: { id: before } })
  if (before !== undefined && !last) return null
  return operator.ctx.db.auditEvent.findMany({
    where: {
      ...(user && { userId: user.id }),
      ...(action !== undefined && { action }),
      // Several may be of one moment.
      ...(last && { OR: [{ createdAt: { lt: last.createdAt } }, { createdAt: last.createdAt, id: { lt: last.id } }] }),
      createdAt: { ...(since && { gte: since }), ...(until && { lt: until }) },
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  })
}
