import type { Sql } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import type { EventFeed } from './event-feed.ts'
import { type EventType, eventTypes } from './event-types.ts'

type Reader = { events: Pick<EventFeed, 'flush'>; sql: Sql }

type Filter = { after: string; types?: EventType[] | undefined; limit: number }

export type FeedEvent = {
  id: string
  type: EventType
  timestamp: string
  data: Record<string, unknown>
}

export type EventPage = { events: FeedEvent[]; cursor: string; caughtUp: boolean }

export type FeedRow = {
  id: string
  type: EventType
  userId: string | null
  organizationId: string | null
  data: object
  createdAt: string
}
type State = { position: bigint; lastId: string; swept: bigint; afterId: string | null; page: FeedRow[] | null }

/** `caughtUp`: no more matching events existed at the call. CURSOR_EXPIRED. */
export async function readEvents(ctx: Reader, { after, types, limit }: Filter): Promise<EventPage> {
  const isFlushed = await ctx.events.flush()
  const position = positionOf(after)
  const filter = types && types.length < eventTypes.length ? types : null
  // One statement, so that the page and the newest event match. `type = wanted` makes PostgreSQL scan the feed.
  const [state] = await ctx.sql.$queryRaw<State[]>`
    SELECT position, last_id AS "lastId", swept,
      (SELECT id FROM events WHERE position = ${position}::bigint) AS "afterId",
      (SELECT json_agg(page) FROM (
        SELECT id, type, user_id AS "userId", organization_id AS "organizationId", data, created_at AS "createdAt"
        FROM (
          (SELECT * FROM events WHERE ${filter}::text[] IS NULL AND position > ${position}::bigint ORDER BY position LIMIT ${limit})
          UNION ALL
          (SELECT of_type.* FROM unnest(${filter}::text[]) AS wanted CROSS JOIN LATERAL (
             SELECT * FROM events WHERE (type, position) > (wanted, ${position}::bigint) AND (type, position) <= (wanted, ${maxPosition}::bigint)
             ORDER BY type, position LIMIT ${limit}
           ) AS of_type)
        ) AS found ORDER BY position LIMIT ${limit}
      ) AS page) AS page
    FROM event_feed`
  if (!state) throw new Error('event_feed has no row')
  assertKept(after, state)
  const events = (state.page ?? []).map(presentEvent)
  const isLast = events.length < limit
  return { events, cursor: isLast ? state.lastId : (events.at(-1)?.id ?? after), caughtUp: isLast && isFlushed }
}

/** The cursor before the first event that was appended at or after `since`, or before the oldest event. */
export async function findStart({ events, sql }: Reader, since: string | undefined): Promise<string> {
  await events.flush()
  const moment = since === undefined ? null : new Date(Math.max(0, Date.parse(since)))
  const [start] = await sql.$queryRaw<{ position: string }[]>`
    SELECT CASE WHEN ${moment}::timestamp IS NULL THEN swept ELSE coalesce(
      (SELECT position - 1 FROM events WHERE appended_at >= ${moment}::timestamp ORDER BY appended_at, position LIMIT 1), position
    ) END::text AS position
    FROM event_feed`
  const position = BigInt(start?.position ?? 0)
  const [row] = await sql.$queryRaw<{ id: string }[]>`SELECT id FROM events WHERE position = ${position}::bigint`
  return row?.id ?? idOf(position)
}

const maxPosition = 2n ** 63n - 1n

export const idOf = (position: bigint): string => `evt_${String(position).padStart(16, '0')}_00000000`

export const positionOf = (id: string): bigint => BigInt(id.slice(4, 20))

/** After a restore, the position may be empty or hold another event. */
function assertKept(after: string, { position, lastId, swept, afterId }: State): void {
  const known = positionOf(after)
  const isKept = known === BigInt(swept) || afterId === after || (known === BigInt(position) && after === lastId)
  if (!isKept) throw new AppError('CURSOR_EXPIRED')
}

export function presentEvent({ id, type, userId, organizationId, data, createdAt }: FeedRow): FeedEvent {
  return {
    id,
    type,
    timestamp: new Date(`${createdAt}Z`).toISOString(),
    data: { ...(userId !== null && { userId }), ...(organizationId !== null && { organizationId }), ...data },
  }
}
