import type { Deps } from '../context.ts'
import { policy } from '../kernel/policy.ts'
import { sendSupportAct } from '../mail/notifications.ts'
import { lockUser } from '../users/lock-user.ts'
import { createOperator } from './operator.ts'
import { liftSuspension } from './suspend-user.ts'

/** Ends suspensions whose time is over, each minute. Until then the account stays closed. */
export type SuspensionEnds = {
  run(): Promise<number>
  start(): void
  stop(): Promise<void>
}

export function createSuspensionEnds(deps: Deps): SuspensionEnds {
  const { db, log, mail } = deps
  const { ctx } = createOperator(deps, 'schedule')
  let running: Promise<unknown> | undefined
  let timer: NodeJS.Timeout | undefined

  async function run(): Promise<number> {
    const due = { suspendedUntil: { lte: new Date() } }
    const users = await db.user.findMany({
      where: due,
      select: { id: true },
      orderBy: { suspendedUntil: 'asc' },
      take: policy.sweep.batchSize,
    })
    let ended = 0
    for (const { id } of users)
      ended += await end(id, due).catch((err) => {
        log.error({ err, userId: id }, 'suspension not ended')
        return 0
      })
    if (ended > 0) mail.wake()
    return ended
  }

  const end = (id: string, due: object): Promise<number> =>
    db.$transaction(async (tx) => {
      await lockUser(tx, id)
      // An administrator may have suspended the user for longer.
      const user = await liftSuspension(ctx, tx, { id, ...due })
      if (!user) return 0
      await ctx.record(tx, { userId: id, actorId: 'schedule', action: 'end-suspension' })
      await sendSupportAct(ctx, tx, user, { act: 'restored', until: null })
      return 1
    })

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
