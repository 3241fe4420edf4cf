import { type Operator, requireUser } from './operator.ts'

export type AuditFilter = { who?: string; action?: string; since?: Date; until?: Date; limit?: number }

/** What happened, the newest first: to one user, of one kind, between two moments. At most `limit` (100) of them. USER_NOT_FOUND. */
export async function listAuditEvents(operator: Operator, { who, action, since, until, limit = 100 }: AuditFilter) {
  const user = who === undefined ? null : await requireUser(operator, who)
  return operator.ctx.db.auditEvent.findMany({
    where: {
      ...(user && { userId: user.id }),
      ...(action !== undefined && { action }),
      createdAt: { ...(since && { gte: since }), ...(until && { lt: until }) },
    },
    orderBy: { createdAt: 'desc' },
    take: limit,
  })
}
