import { isByAnother } from '../audit-log/audit-log.ts'
import { describeDevice } from '../sessions/describe-device.ts'
import { sessionProcedure } from '../trpc.ts'
import { listActivityInput } from './contract.ts'

/**
 * What happened on the caller's account, newest first, a page at a time: `cursor` is the `nextCursor` of the page before, null on the
 * last one. What somebody else did to it (`byAnother`) is without their device and address.
 */
export const listActivity = sessionProcedure.input(listActivityInput).query(async ({ ctx, input }) => {
  // Ids sort by time, so the last one shown says where the next page begins, whether or not its row is still there.
  const rows = await ctx.db.auditEvent.findMany({
    where: { userId: ctx.user.id, ...(input.cursor !== undefined && { id: { lt: input.cursor } }) },
    orderBy: { id: 'desc' },
    take: input.limit + 1,
  })
  const shown = rows.slice(0, input.limit)
  return {
    events: shown.map((event) => {
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
    nextCursor: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
  }
})
