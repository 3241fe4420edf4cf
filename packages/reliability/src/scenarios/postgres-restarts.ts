import { setTimeout as delay } from 'node:timers/promises'
import { outboxOf } from '../person.ts'
import type { Stop } from '../postgres-cluster.ts'
import { expectThat, rate, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'
import { halfMade, lostWrites, withStored } from '../stored.ts'
import { calmLatency, startTraffic, troublesOf, watchRecovery } from '../traffic.ts'

const longestRecovery = 5_000

export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  promise:
    'PostgreSQL is restarted under load, in three ways: requests in flight get 503 with Retry-After, nobody is signed out, the service recovers by itself in under 5 s, and every acknowledged write is there.',
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
    const calm = await calmLatency(traffic)
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
    const [lost, halves] = await withStored(environment, async (db) => [await lostWrites(db, traffic), await halfMade(db)])

    const { attempts } = traffic
    const refused = attempts.filter(({ status }) => status === 503).length
    const slowest = Math.max(...recoveries)
    const problems = [...troublesOf(attempts), ...lost.map((what) => `lost: ${what}`), ...halves]
    expectThat(problems, refused > 0, 'no request met a fault')
    expectThat(
      problems,
      slowest < longestRecovery + calm,
      `it took ${Math.round(slowest)} ms to recover, where a request takes up to ${Math.round(calm)} ms`,
    )
    expectThat(problems, code === 0, `the service ended with code ${code}`)
    return {
      load: `${rate(attempts.length, ms)} from 8 callers`,
      faults: `${ways.length} restarts (fast, immediate, kill -9 of the postmaster), the database away for a second or more each time`,
      requests: attempts.length,
      lost: `${refused} answered 503, ${lost.length} of ${traffic.signedUp.length + (traffic.names[0]?.acknowledged ?? 0)} acknowledged writes lost`,
      recovery: `at most ${Math.round(slowest)} ms after the database answered; a request before took up to ${Math.round(calm)} ms`,
      problems,
    }
  },
}
