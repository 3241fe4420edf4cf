import { findStart, readEvents } from '../event-feed/read-events.ts'
import { serviceProcedure } from '../trpc.ts'
import { listEventsInput } from './contract.ts'

/** The feed for other services: `after` is a cursor, `wait` makes it a long poll. CURSOR_EXPIRED, SERVICE_BUSY. */
export const listEvents = serviceProcedure('events:read')
  .input(listEventsInput)
  .query(async ({ ctx, input: { after, since, types, limit, wait }, signal: disconnected }) => {
    const release = ctx.events.acquireReader()
    try {
      const timeout = AbortSignal.timeout(wait * 1000)
      const signal = disconnected ? AbortSignal.any([timeout, disconnected]) : timeout
      const start = after ?? (await findStart(ctx, since))
      for (;;) {
        const version = ctx.events.version()
        const page = await readEvents(ctx, { after: start, types, limit })
        if (page.events.length > 0 || signal.aborted || wait === 0 || ctx.events.isStopping()) return page
        await ctx.events.waitForGrowth(version, signal)
      }
    } finally {
      release()
    }
  })
