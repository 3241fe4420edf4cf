import type { AuditEvent, Database } from '@floorpass/db'
import type { z } from 'zod'
import { firstIdAt } from '../audit-log/first-id-at.ts'
import { actionsOf } from './activity-kinds.ts'
import type { activityFilter } from './contract.ts'

type Filter = z.output<typeof activityFilter> & { cursor?: string | undefined }

const smallestId = ''
/** Sorts after every hexadecimal digit. */
const largestId = 'g'

/** Finds the newest events of a user, newest first. Reads no event that does not match: ids sort by time. */
export async function findEvents(
  db: Database,
  userId: string,
  { kind, since, until, cursor = largestId }: Filter,
  limit: number,
): Promise<AuditEvent[]> {
  const from = since === undefined ? smallestId : firstIdAt(new Date(since))
  const to = until === undefined ? largestId : firstIdAt(new Date(until))
  if (kind === undefined) {
    return db.auditEvent.findMany({
      where: { userId, AND: [{ id: { gte: from } }, { id: { lt: to } }, { id: { lt: cursor } }] },
      orderBy: { id: 'desc' },
      take: limit,
    })
  }
  // One short read of the index for each action: a list of actions in one condition would read all of them and sort.
  const matches = await db.$queryRaw<{ id: string }[]>`
    SELECT newest.id FROM unnest(${actionsOf(kind)}::text[]) AS wanted(action) CROSS JOIN LATERAL (
      SELECT id FROM audit_events
      WHERE user_id = ${userId} AND action = wanted.action AND id >= ${from} AND id < ${to} AND id < ${cursor}
      ORDER BY id DESC LIMIT ${limit}
    ) newest ORDER BY newest.id DESC LIMIT ${limit}`
  return db.auditEvent.findMany({ where: { id: { in: matches.map(({ id }) => id) } }, orderBy: { id: 'desc' } })
}
