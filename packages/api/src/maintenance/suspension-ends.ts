import type { Database } from '@floorpass/db'
import { recordAuditEvents } from '../audit-log/audit-log.ts'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import { lockUser } from '../users/lock-user.ts'

/** Ends suspensions whose time is over, each minute. Until then the account stays closed. */
export type SuspensionEnds = {
  run(): Promise<number>
  start(): void
  stop(): Promise<void>
}

export function createSuspensionEnds({ db, log }: { db: Database; log: Log }): SuspensionEnds {
  let running: Promise<unknown> | undefined
  let timer: NodeJS.Timeout | undefined
  const client = { ip: null, userAgent: 'Floorpass' }

  async function run(): Promise<number> {
    const due = { suspendedUntil: { lte: new Date() } }
    const users = await db.user.findMany({ where: due, select: { id: true }, take: policy.sweep.batchSize })
    let ended = 0
    for (const { id } of users) {
      ended += await db.$transaction(async (tx) => {
        await lockUser(tx, id)
        // An administrator may have suspended the user for longer.
        const { count } = await tx.user.updateMany({ where: { id, ...due }, data: { suspendedAt: null, suspendedUntil: null } })
        if (count > 0) await recordAuditEvents(tx, client, [{ userId: id, actorId: 'schedule', action: 'restore-user' }])
        return count
      })
    }
    return ended
  }

  return {
    run,
    start() {
      timer = setInterval(() => {
        running ??= run()
          .then((count) => count > 0 && log.info({ count }, 'suspensions ended'))
          .catch((err) => log.error({ err }, 'ending suspensions failed'))
          .finally(() => {
            running = undefined
          })
      }, policy.administration.suspensionEndsEvery * 1000).unref()
    },
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
