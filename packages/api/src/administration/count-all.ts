import type { Database } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { administratorProcedure } from '../trpc.ts'

const { exactCount } = policy.administration
/** One more tells that there are more. */
export const take = exactCount + 1

/** Counting a million rows takes longer than any page may: above `exactCount`, the planner's estimate for a table or a partial index. */
export async function orEstimate(db: Database, counted: number, relation: string): Promise<number> {
  if (counted <= exactCount) return counted
  const [row] = await db.$queryRaw<{ estimate: number }[]>`
    SELECT greatest(reltuples, 0)::float8 AS estimate FROM pg_class WHERE oid = to_regclass(${relation})`
  return Math.max(counted, row?.estimate ?? 0)
}

/** How much there is of everything. Each count reads an index, in its order. */
export const countAll = administratorProcedure('count:list').query(({ ctx }) =>
  ctx.replica.read(async (db) => {
    const [users, suspendedUsers, organizations, sessions, refusedMails, failingWebhooks] = await Promise.all([
      db.user.count({ take }),
      db.user.count({ where: { suspendedAt: { not: null } }, orderBy: { id: 'asc' }, take }),
      db.organization.count({ take }),
      db.session.count({ where: { expiresAt: { gt: new Date() } }, orderBy: { expiresAt: 'asc' }, take }),
      db.queuedMail.count({ where: { nextAttemptAt: null }, orderBy: [{ nextAttemptAt: 'asc' }, { id: 'asc' }], take }),
      db.webhook.count({ where: { failingSince: { not: null } } }),
    ])
    return {
      users: await orEstimate(db, users, 'users'),
      suspendedUsers: await orEstimate(db, suspendedUsers, 'users_suspended_at_idx'),
      organizations: await orEstimate(db, organizations, 'organizations'),
      sessions: await orEstimate(db, sessions, 'sessions'),
      refusedMails: await orEstimate(db, refusedMails, 'queued_mails_refused_idx'),
      failingWebhooks,
    }
  }),
)
