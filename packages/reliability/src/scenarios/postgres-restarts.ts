import { setTimeout as delay } from 'node:timers/promises'
import { findLostWrites, findPartialWrites, withDatabase } from '../check-database.ts'
import { outboxOf } from '../person.ts'
import type { Stop } from '../postgres-cluster.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'
import { baselineLatency, countTroubles, startTraffic, watchRecovery } from '../traffic.ts'

const longestRecovery = 5_000

export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  promise:
    'PostgreSQL is restarted under load, in three ways. Requests in flight get 503 with Retry-After, no user is signed out, the service recovers in under 5 s without help, and every acknowledged write is there.',
  needs: ['postgres'],
  async run({ quick, postgres, folder, say }) {
    const cluster = await postgres()
    const environment = {
      DATABASE_URL: await cluster.createDatabase(),
      DATA_DIR: await folder(),
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'error',
    }
    const service = await startService(environment)
    const target = { url: service.url, origin: service.url }
    const traffic = await startTraffic(target, outboxOf(environment.DATA_DIR))
    const baseline = await baselineLatency(traffic)
    const began = Date.now()
    const ways: Stop[] = Array.from({ length: quick ? 1 : 3 }, () => ['fast', 'immediate', 'kill -9'] as const).flat()
    const recoveries: number[] = []
    for (const way of ways) {
      await delay(quick ? 500 : 1500)
      await cluster.stop(way)
      await delay(1000)
      await cluster.start()
      const back = Date.now()
      recoveries.push(await watchRecovery(traffic, back, 3_000))
      say(`${way}: recovered ${Math.round(recoveries.at(-1) ?? 0)} ms after the database was back`)
    }
    await traffic.stop()
    const ms = Date.now() - began
    const { code } = await service.end('SIGTERM')
    const [lost, partial] = await withDatabase(environment, async (db) => [
      await findLostWrites(db, traffic),
      await findPartialWrites(db),
    ])

    const { attempts } = traffic
    const refused = attempts.filter(({ status }) => status === 503).length
    const slowest = Math.max(...recoveries)
    const problems = [...countTroubles(attempts), ...lost.map((what) => `lost: ${what}`), ...partial]
    expectThat(problems, refused > 0, 'no request met a fault')
    expectThat(
      problems,
      slowest < longestRecovery + baseline,
      `recovery took ${Math.round(slowest)} ms, and a request before took up to ${Math.round(baseline)} ms`,
    )
    expectThat(problems, code === 0, `the service exited with code ${code}`)
    return {
      load: `${formatRate(attempts.length, ms)} from 8 callers`,
      faults: `${ways.length} restarts (fast, immediate, kill -9 of the postmaster), the database down for at least a second each time`,
      requests: attempts.length,
      lost: `${refused} requests answered 503, ${lost.length} of ${traffic.signedUp.length + (traffic.names[0]?.acknowledged ?? 0)} acknowledged writes lost`,
      recovery: `at most ${Math.round(slowest)} ms after the database answered; a request before took up to ${Math.round(baseline)} ms`,
      problems,
    }
  },
}
