import { sessionProcedure } from '../trpc.ts'
import { listActivityInput } from './contract.ts'
import { findEvents } from './find-events.ts'
import { presentEvent } from './present-event.ts'

/** Lists the caller's events, newest first. `cursor` is the former page's `nextCursor`. */
export const listActivity = sessionProcedure.input(listActivityInput).query(async ({ ctx, input: { limit, ...filter } }) => {
  const rows = await findEvents(ctx.db, ctx.user.id, filter, limit + 1)
  const page = rows.slice(0, limit)
  return {
    events: page.map((event) => presentEvent(event, ctx)),
    nextCursor: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
  }
})
