import { firstIdAt } from '../audit-log/first-id-at.ts'
import { AppError } from '../kernel/errors.ts'
import { administratorProcedure } from '../trpc.ts'
import { type AuditFilterInput, listAuditEventsInput } from './contract.ts'
import { type Reader, requireUser } from './operator.ts'

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
export async function findAuditEvents(
  reader: Reader,
  { who: identifier, action, since, until, limit = usualEvents, before }: AuditFilter,
) {
  const user = identifier === undefined ? null : await requireUser(reader, identifier)
  const last = before === undefined ? null : await reader.ctx.db.auditEvent.findUnique({ where: { id: before } })
  if (before !== undefined && !last) return null
  const bounds = [
    ...(since ? [{ id: { gte: firstIdAt(since) } }] : []),
    ...(until ? [{ id: { lt: firstIdAt(until) } }] : []),
    ...(last ? [{ id: { lt: last.id } }] : []),
  ]
  return reader.ctx.replica.read((db) =>
    db.auditEvent.findMany({
      where: { ...(user && { userId: user.id }), ...(action !== undefined && { action }), AND: bounds },
      orderBy: { id: 'desc' },
      take: limit,
    }),
  )
}

/** `before`: the last id of the page before. USER_NOT_FOUND, NOT_FOUND for an unknown `before`. */
export const listAuditEvents = administratorProcedure('audit:list')
  .input(listAuditEventsInput)
  .query(async ({ ctx, input }) => {
    const { limit = usualEvents, ...filter } = input ?? {}
    const events = await findAuditEvents({ ctx }, { ...toAuditFilter(filter), limit })
    if (!events) throw new AppError('NOT_FOUND')
    return { events }
  })

export const toAuditFilter = ({ userId, action, since, until, before }: AuditFilterInput): AuditFilter => ({
  ...(userId !== undefined && { who: userId }),
  ...(action !== undefined && { action }),
  ...(since !== undefined && { since: new Date(since) }),
  ...(until !== undefined && { until: new Date(until) }),
  ...(before !== undefined && { before }),
})
