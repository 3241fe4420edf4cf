import { policy } from '../kernel/policy.ts'
import { ownerProcedure } from '../trpc.ts'
import { activityFilter } from './contract.ts'
import { findEvents } from './find-events.ts'
import { presentEvent } from './present-event.ts'

/** The newest matching events of the caller in one answer, for a file. TOO_MANY_REQUESTS. */
export const exportActivity = ownerProcedure.input(activityFilter).query(async ({ ctx, input }) => {
  await ctx.limiter.consume('export-activity:user', ctx.user.id)
  const rows = await ctx.replica.read((copy) => findEvents(copy, ctx.user.id, input, policy.exportedEvents))
  return rows.map((event) => presentEvent(event, ctx))
})
