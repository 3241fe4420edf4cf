import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '@floorpass/api'
import { Gauge, type Registry } from 'prom-client'

const queryTimeout = 3_000

type State = { waiting: bigint; refused: bigint; oldest: Date | null; services: string[] }

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
             ARRAY(SELECT name FROM services) AS services`

  async function updateGauges(): Promise<void> {
    query ??= readState().finally(() => {
      query = undefined
    })
    try {
      const [{ waiting, refused, oldest, services }] = await Promise.race([
        query,
        delay(queryTimeout, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer in time'))),
      ])
      mails.set({ state: 'waiting' }, Number(waiting))
      mails.set({ state: 'refused' }, Number(refused))
      oldestMail.set(Math.max(0, Date.now() - (oldest?.getTime() ?? Date.now())) / 1000)
      onServices(services)
      up.set(1)
    } catch {
      // Old values would look current.
      mails.reset()
      oldestMail.remove()
      up.set(0)
    }
  }
}
