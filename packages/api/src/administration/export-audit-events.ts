import type { AuditEvent } from '@floorpass/db'
import { recordAuditEventIfUserExists } from '../audit-log/audit-log.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { administratorProcedure } from '../trpc.ts'
import { exportAuditEventsInput } from './contract.ts'
import { findAuditEvents, toAuditFilter } from './list-audit-events.ts'

/** The newest matching events, for a file. `before` is the last id of the file before. TOO_MANY_REQUESTS, USER_NOT_FOUND, NOT_FOUND. */
export const exportAuditEvents = administratorProcedure('audit:list')
  .input(exportAuditEventsInput)
  .query(async ({ ctx, input }) => {
    await ctx.limiter.consume('export-activity:user', ctx.user.id)
    const filter = toAuditFilter(input ?? {})
    const events = await findAuditEvents({ ctx }, { ...filter, limit: policy.administration.exportedEvents })
    if (!events) throw new AppError('NOT_FOUND')
    await recordAuditEventIfUserExists(ctx.db, ctx.client, {
      userId: ctx.user.id,
      action: 'export-audit-log',
      details: {
        count: events.length,
        ...(filter.who !== undefined && { user: filter.who }),
        ...(filter.action !== undefined && { type: filter.action }),
      },
    })
    return { events }
  })

const columns = [
  'id',
  'createdAt',
  'action',
  'succeeded',
  'userId',
  'actorId',
  'organizationId',
  'ipAddress',
  'userAgent',
  'details',
] as const

type Event = Pick<AuditEvent, (typeof columns)[number]>

/** With a header. */
export const toAuditRows = (events: readonly Event[]): (readonly string[])[] => [
  columns,
  ...events.map((event) => columns.map((column) => toCell(event[column]))),
]

function toCell(value: unknown): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
