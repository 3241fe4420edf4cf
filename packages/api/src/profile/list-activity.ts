import { isByAnother } from '../audit-log/audit-log.ts'
import { describeDevice } from '../sessions/describe-device.ts'
import { sessionProcedure } from '../trpc.ts'
import { listActivityInput } from './contract.ts'

/** Lists the caller's events, newest first. `cursor` is the former page's `nextCursor`. Hides the device and IP of other actors. */
export const listActivity = sessionProcedure.input(listActivityInput).query(async ({ ctx, input }) => {
  // Ids sort by time, so the cursor works even after its row is deleted.
  const rows = await ctx.db.auditEvent.findMany({
    where: { userId: ctx.user.id, ...(input.cursor !== undefined && { id: { lt: input.cursor } }) },
    orderBy: { id: 'desc' },
    take: input.limit + 1,
  })
  const page = rows.slice(0, input.limit)
  return {
    events: page.map((event) => {
      const { id, action, succeeded, ipAddress, userAgent, details, createdAt } = event
      const byAnother = isByAnother(event)
      return {
        id,
        action,
        succeeded,
        byAnother,
        details: details as Record<string, string | number | boolean> | null,
        ipAddress: byAnother ? '' : ipAddress,
        ...describeDevice(byAnother ? '' : userAgent),
        createdAt,
      }
    }),
    nextCursor: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
  }
})
