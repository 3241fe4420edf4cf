import type { Context } from '../context.ts'
import { type EventPage, findStart, readEvents } from '../event-feed/read-events.ts'
import { policy } from '../kernel/policy.ts'
import { serviceProcedure } from '../trpc.ts'
import { followEventsInput } from './contract.ts'

export type EventStream = { pages: AsyncGenerator<EventPage>; close(): void }

/** Yields each new page, and an empty page every second as heartbeat. Ends after a minute. CURSOR_EXPIRED, SERVICE_BUSY. */
export const streamEvents = serviceProcedure('events:read')
  .input(followEventsInput)
  .query(async ({ ctx, input: { after, since, types } }): Promise<EventStream> => {
    const release = ctx.events.acquireReader()
    const closing = new AbortController()
    const end = AbortSignal.any([closing.signal, AbortSignal.timeout(policy.events.streamLifetime * 1000)])
    try {
      const limit = policy.events.pageSize
      const start = after ?? (await findStart(ctx, since))
      // Read before the stream starts, so that an expired cursor answers 410.
      const version = ctx.events.version()
      const first = await readEvents(ctx, { after: start, types, limit })
      const close = () => {
        closing.abort()
        release()
      }
      return { pages: follow(ctx, { first, version, types, limit }, end, release), close }
    } catch (error) {
      release()
      throw error
    }
  })

type From = { first: EventPage; version: number; types: Parameters<typeof readEvents>[1]['types']; limit: number }

async function* follow(
  ctx: Pick<Context, 'events' | 'sql' | 'log'>,
  { first, version: seen, types, limit }: From,
  end: AbortSignal,
  release: () => void,
): AsyncGenerator<EventPage> {
  try {
    let [page, version] = [first, seen]
    let heartbeatAt = Number.NEGATIVE_INFINITY
    for (;;) {
      if (page.events.length > 0 || performance.now() - heartbeatAt >= 0.9 * policy.events.poll * 1000) {
        yield page
        heartbeatAt = performance.now()
      }
      if (end.aborted || ctx.events.isStopping()) return
      if (page.caughtUp) await ctx.events.waitForGrowth(version, end)
      if (end.aborted) return
      version = ctx.events.version()
      page = await readEvents(ctx, { after: page.cursor, types, limit })
    }
  } catch (err) {
    ctx.log.warn({ err }, 'event stream ended early')
  } finally {
    release()
  }
}
