import type { Database, QueuedMail } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'

/** The oldest of these leaves first. More would read a long queue for each mail. */
const mostCompared = 100

/** Leases the oldest due mail, so that two workers never send the same one. New mails are due whatever the clock says. */
export async function claimNextMail(db: Database): Promise<QueuedMail | null> {
  const now = new Date()
  // Two short reads of an index. With OR, PostgreSQL would read every deferred mail.
  const [due] = await db.$queryRaw<Pick<QueuedMail, 'id' | 'attempts' | 'nextAttemptAt'>[]>`
    (SELECT id, attempts, next_attempt_at AS "nextAttemptAt" FROM queued_mails
     WHERE next_attempt_at <= ${now} ORDER BY next_attempt_at, id LIMIT ${mostCompared})
    UNION ALL
    (SELECT id, attempts, next_attempt_at FROM queued_mails
     WHERE next_attempt_at IS NOT NULL AND attempts = 0 AND last_error IS NULL ORDER BY id LIMIT 1)
    ORDER BY id LIMIT 1`
  if (!due) return null
  const [claimed] = await db.queuedMail.updateManyAndReturn({
    where: { id: due.id, attempts: due.attempts, nextAttemptAt: due.nextAttemptAt },
    data: { attempts: { increment: 1 }, nextAttemptAt: new Date(now.getTime() + policy.mail.lease * 1000) },
  })
  return claimed ?? (await claimNextMail(db))
}

/** Makes a claimed mail due again without counting the attempt. */
export async function releaseMail(db: Database, { id, attempts }: QueuedMail): Promise<void> {
  await db.queuedMail.updateMany({ where: { id, attempts }, data: { attempts: { decrement: 1 }, nextAttemptAt: new Date() } })
}
