import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

export const sweptTables = [
  'sessions',
  'verifications',
  'trusted_devices',
  'invitations',
  'audit_events',
  'audit_months',
  'queued_mails',
  'signature_nonces',
  'confirmations',
  'events',
  'webhook_deliveries',
  'approvals',
] as const

/** Deletes expired rows. Correctness never depends on the sweep: readers check each row's dates. */
export type ExpirySweep = {
  sweep(): Promise<Record<string, number>>
  start(): void
  stop(): Promise<void>
}

type ExpirySweepOptions = {
  db: Database
  log: Log
  batchSize?: number
  /** Maximum seconds until the first sweep. */
  firstWithin?: number
  onSwept?: (removed: Record<string, number>) => void
}

type Month = { name: string }

/** Nodes may sweep at the same time: each skips rows that another has locked. */
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

  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000)

  /** A month is dropped once its last event is older than the policy keeps. */
  const firstKeptMonth = () => {
    const oldest = secondsAgo(policy.sweep.keepAuditEvents)
    return new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()))
  }

  /** Creates the partitions of the next months and drops those of past ones. Nodes do it one after another. */
  async function turnAuditMonths(): Promise<void> {
    const created = await db.$queryRaw<Month[]>`
      SELECT name FROM create_audit_months(${new Date()}::timestamptz, ${policy.sweep.auditMonthsAhead}::integer) AS name`
    if (created.length > 0) log.info({ months: created.map(({ name }) => name) }, 'audit months created')
    const dropped = await db.$queryRaw<Month[]>`SELECT name FROM drop_audit_months(${firstKeptMonth()}::timestamptz) AS name`
    if (dropped.length === 0) return
    log.info({ months: dropped.map(({ name }) => name) }, 'audit months dropped')
    onSwept?.({ audit_months: dropped.length })
  }

  /** One transaction per small batch, to keep locks short. Without an order, each batch may read the index of all expired rows. One hour of
   * challenges, refused mails and late events are few. */
  const batchRemovals: Record<Exclude<(typeof sweptTables)[number], 'audit_months'>, () => Promise<number>> = {
    sessions: () => db.$executeRaw`
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE expires_at < ${secondsAgo(0)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    verifications: async () => {
      // Anonymous callers create challenges: delete those first, and at once.
      const challenges = await db.$executeRaw`
        DELETE FROM verifications WHERE id IN (
          SELECT id FROM verifications
          WHERE purpose IN ('social-sign-in', 'two-factor', 'passkey-registration', 'passkey-authentication') AND expires_at < ${secondsAgo(0)}
          ORDER BY purpose, expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`
      if (challenges === batchSize) return challenges
      // Keep expired links a week so that we can answer TOKEN_EXPIRED.
      const links = await db.$executeRaw`
        DELETE FROM verifications WHERE id IN (
          SELECT id FROM verifications WHERE expires_at < ${secondsAgo(policy.sweep.keepLinks)}
          ORDER BY expires_at LIMIT ${batchSize - challenges} FOR UPDATE SKIP LOCKED)`
      return challenges + links
    },
    trusted_devices: () => db.$executeRaw`
      DELETE FROM trusted_devices WHERE id IN (
        SELECT id FROM trusted_devices WHERE expires_at < ${secondsAgo(0)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    invitations: () => db.$executeRaw`
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE expires_at < ${secondsAgo(policy.sweep.keepLinks)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    audit_events: async () => {
      await turnAuditMonths()
      return db.$executeRaw`
        DELETE FROM audit_events WHERE id IN (
          SELECT id FROM audit_events WHERE created_at < ${firstKeptMonth()} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`
    },
    queued_mails: () => db.$executeRaw`
      DELETE FROM queued_mails WHERE id IN (
        SELECT id FROM queued_mails WHERE next_attempt_at IS NULL AND coalesce(tried_since, created_at) < ${secondsAgo(policy.sweep.keepRefusedMails)}
        LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    // A second column holds the key: nonces of two keys may be equal. A process whose clock is late may still accept the signature.
    signature_nonces: () => db.$executeRaw`
      DELETE FROM signature_nonces WHERE (key_id, nonce) IN (
        SELECT key_id, nonce FROM signature_nonces WHERE expires_at < ${secondsAgo(policy.apiKeys.longestWindow)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    confirmations: () => db.$executeRaw`
      DELETE FROM confirmations WHERE id IN (
        SELECT id FROM confirmations WHERE expires_at < ${secondsAgo(policy.sweep.keepLinks)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    // From the front of the feed, which remembers how far: a cursor before that has expired.
    events: async () => {
      const gone = await db.$queryRaw<unknown[]>`
      WITH gone AS (
        DELETE FROM events WHERE position IN (
          SELECT position FROM (SELECT position, appended_at FROM events ORDER BY position LIMIT ${batchSize}) AS first
          WHERE appended_at < ${secondsAgo(policy.sweep.keepEvents)}
        ) RETURNING position
      ), marked AS (
        UPDATE event_feed SET swept = greatest(swept, (SELECT max(position) FROM gone)) WHERE EXISTS (SELECT FROM gone)
      )
      SELECT position FROM gone`
      return gone.length
    },
    webhook_deliveries: () => db.$executeRaw`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries WHERE status <> 'waiting' AND created_at < ${secondsAgo(policy.sweep.keepEvents)}
        ORDER BY created_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    approvals: () => db.$executeRaw`
      DELETE FROM approvals WHERE id IN (
        SELECT id FROM approvals WHERE expires_at < ${secondsAgo(0)} ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
  }

  async function sweep(): Promise<Record<string, number>> {
    const removed: Record<string, number> = {}
    for (const [table, removeBatch] of Object.entries(batchRemovals)) {
      let count = batchSize
      try {
        while (count === batchSize && !stopped) {
          count = await removeBatch()
          if (count === 0) break
          removed[table] = (removed[table] ?? 0) + count
          onSwept?.({ [table]: count })
        }
      } catch (err) {
        log.error({ err, table }, 'expired row removal failed')
      }
    }
    return removed
  }

  const run = (): void => {
    running ??= sweep()
      .then((removed) => Object.keys(removed).length > 0 && log.info({ removed }, 'expired rows removed'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    sweep,
    start() {
      // Random, so that processes started together do not sweep together.
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
