import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

/** Removes what nobody may use any more. Rules never depend on it: they judge by each row's own dates. */
export type ExpirySweep = {
  /** Sweeps until nothing is left to do; resolves to how many rows went, by table. A table that fails is logged, and keeps no other. */
  sweep(): Promise<Record<string, number>>
  /** Sweeps within a minute, then every hour. */
  start(): void
  /** Begins no further batch and resolves when the one in hand is done with. */
  stop(): Promise<void>
}

type ExpirySweepOptions = {
  db: Database
  log: Log
  batchSize?: number
  /** Seconds to the first sweep after `start`, at most. */
  firstWithin?: number
  /** Told how many rows went, by table, after each batch. */
  onSwept?: (gone: Record<string, number>) => void
}

/** Any number of nodes may sweep at once: each skips the rows that another one holds. */
export function createExpirySweep({
  db,
  log,
  batchSize = policy.sweep.batchSize,
  firstWithin = policy.sweep.firstWithin,
  onSwept,
}: ExpirySweepOptions): ExpirySweep {
  let running: Promise<unknown> | undefined
  let stopped = false
  const timers: NodeJS.Timeout[] = []

  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

  /** Small batches, each its own transaction: no request waits long for a lock or for the embedded database. */
  const removeFrom: Record<string, () => Promise<number>> = {
    sessions: () => db.$executeRaw`
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE expires_at < ${ago(0)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    // For a while an old link is told from a false one. An attempt to sign in is begun by anybody, and nobody is told of its end: of the
    // last hour, those come first, before the links that stay.
    verifications: () => db.$executeRaw`
      DELETE FROM verifications WHERE id IN (
        SELECT id FROM verifications
        WHERE expires_at < ${ago(0)} AND (purpose IN ('social-sign-in', 'two-factor') OR expires_at < ${ago(policy.sweep.keepLinks)})
        ORDER BY expires_at DESC LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    trusted_devices: () => db.$executeRaw`
      DELETE FROM trusted_devices WHERE id IN (
        SELECT id FROM trusted_devices WHERE expires_at < ${ago(0)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    invitations: () => db.$executeRaw`
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE expires_at < ${ago(policy.sweep.keepLinks)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    audit_events: () => db.$executeRaw`
      DELETE FROM audit_events WHERE id IN (
        SELECT id FROM audit_events WHERE created_at < ${ago(policy.sweep.keepAuditEvents)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    // Refused for good, and seen by nobody since.
    queued_mails: () => db.$executeRaw`
      DELETE FROM queued_mails WHERE id IN (
        SELECT id FROM queued_mails WHERE next_attempt_at IS NULL AND coalesce(tried_since, created_at) < ${ago(policy.sweep.keepRefusedMails)}
        LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
  }

  async function sweep(): Promise<Record<string, number>> {
    const gone: Record<string, number> = {}
    for (const [table, removeBatch] of Object.entries(removeFrom)) {
      let count = batchSize
      try {
        while (count === batchSize && !stopped) {
          count = await removeBatch()
          if (count === 0) break
          gone[table] = (gone[table] ?? 0) + count
          onSwept?.({ [table]: count })
        }
      } catch (err) {
        log.error({ err, table }, 'expired rows could not be removed')
      }
    }
    return gone
  }

  const run = (): void => {
    running ??= sweep()
      .then((gone) => Object.keys(gone).length > 0 && log.info({ gone }, 'expired rows were removed'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    sweep,
    start() {
      // By chance, and not with the first requests: processes that start together do not sweep together.
      const first = (0.5 + Math.random() / 2) * firstWithin
      timers.push(setTimeout(run, first * 1000).unref(), setInterval(run, policy.sweep.every * 1000).unref())
    },
    async stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      await running
    },
  }
}
