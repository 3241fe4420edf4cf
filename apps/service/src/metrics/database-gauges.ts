import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '@floorpass/api'
import { Gauge, type Registry } from 'prom-client'

const queryTimeout = 3_000

type State = {
  waiting: bigint
  refused: bigint
  oldest: Date | null
  services: string[]
  oldestEvent: Date | null
  deliveries: bigint
  paused: bigint
}

/** `onServices` gets the names of all services at each scrape, so that their counters exist before their first call. */
export function registerDatabaseGauges(registry: Registry, db: Deps['db'], onServices: (names: string[]) => void): void {
  const registers = [registry]
  let update: Promise<void> | undefined
  // A hanging database gets one query, not one for each scrape: the service needs its connections.
  let query: Promise<[State]> | undefined
  const collect = (): Promise<void> => {
    update ??= updateGauges().finally(() => {
      update = undefined
    })
    return update
  }
  const mails = new Gauge({
    name: 'floorpass_mails',
    help: 'Emails in the database that wait, and that a server refused for good; every process reports the same number',
    aggregator: 'max',
    labelNames: ['state'],
    registers,
    collect,
  })
  const oldestMail = new Gauge({
    name: 'floorpass_mail_oldest_waiting_seconds',
    help: 'Age of the oldest waiting email; 0 if none waits',
    aggregator: 'max',
    registers,
    collect,
  })
  const oldestEvent = new Gauge({
    name: 'floorpass_events_waiting_seconds',
    help: 'Age of the oldest event that has no place in the feed yet; 0 if none waits',
    aggregator: 'max',
    registers,
    collect,
  })
  const deliveries = new Gauge({
    name: 'floorpass_webhook_deliveries_waiting',
    help: 'Events that wait for a webhook, paused webhooks included; at most 100,000',
    aggregator: 'max',
    registers,
    collect,
  })
  const paused = new Gauge({
    name: 'floorpass_webhooks_paused',
    help: 'Webhooks that get no events',
    aggregator: 'max',
    registers,
    collect,
  })
  const up = new Gauge({
    name: 'floorpass_database_up',
    help: 'Whether the database answered during this scrape',
    aggregator: 'min',
    registers,
    collect,
  })

  const readState = () => db.$queryRaw<[State]>`
      SELECT (SELECT count(*) FROM queued_mails WHERE next_attempt_at IS NOT NULL) AS waiting,
             (SELECT count(*) FROM queued_mails WHERE next_attempt_at IS NULL) AS refused,
             (SELECT coalesce(tried_since, created_at) FROM queued_mails WHERE next_attempt_at IS NOT NULL ORDER BY 1 LIMIT 1) AS oldest,
             ARRAY(SELECT name FROM services) AS services,
             (SELECT created_at FROM outbox_events ORDER BY id LIMIT 1) AS "oldestEvent",
             (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE status = 'waiting' LIMIT 100000) AS counted) AS deliveries,
             (SELECT count(*) FROM webhooks WHERE paused_at IS NOT NULL) AS paused`

  async function updateGauges(): Promise<void> {
    query ??= readState().finally(() => {
      query = undefined
    })
    try {
      const [state] = await Promise.race([
        query,
        delay(queryTimeout, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer in time'))),
      ])
      mails.set({ state: 'waiting' }, Number(state.waiting))
      mails.set({ state: 'refused' }, Number(state.refused))
      oldestMail.set(secondsSince(state.oldest))
      oldestEvent.set(secondsSince(state.oldestEvent))
      deliveries.set(Number(state.deliveries))
      paused.set(Number(state.paused))
      onServices(state.services)
      up.set(1)
    } catch {
      // Old values would look current.
      for (const gauge of [mails, oldestMail, oldestEvent, deliveries, paused]) gauge.reset()
      for (const gauge of [oldestMail, oldestEvent, deliveries, paused]) gauge.remove()
      up.set(0)
    }
  }
}

const secondsSince = (moment: Date | null): number => (moment ? Math.max(0, Date.now() - moment.getTime()) / 1000 : 0)
