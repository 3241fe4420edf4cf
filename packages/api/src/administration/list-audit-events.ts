import { firstIdAt } from '../audit-log/first-id-at.ts'
import { type Operator, requireUser } from './operator.ts'

export type AuditFilter = {
  who?: string
  action?: string
  since?: Date
  until?: Date
  limit?: number
  before?: string
}

export const usualEvents = 100

/** Lists matching audit events, newest first. Null when the event `before` does not exist. USER_NOT_FOUND. */
export async function listAuditEvents(
  operator: Operator,
  { who: identifier, action, since, until, limit = usualEvents, before }: AuditFilter,
) {
  const user = identifier === undefined ? null : await requireUser(operator, identifier)
  const last = before === undefined ? null : await operator.ctx.db.auditEvent.findUnique({ where: { id: before } })
  if (before !== undefined && !last) return null
  const bounds = [
    ...(since ? [{ id: { gte: firstIdAt(since) } }] : []),
    ...(until ? [{ id: { lt: firstIdAt(until) } }] : []),
    ...(last ? [{ id: { lt: last.id } }] : []),
  ]
  return operator.ctx.replica.read((db) =>
    db.auditEvent.findMany({
      where: { ...(user && { userId: user.id }), ...(action !== undefined && { action }), AND: bounds },
      orderBy: { id: 'desc' },
      take: limit,
    }),
  )
}
