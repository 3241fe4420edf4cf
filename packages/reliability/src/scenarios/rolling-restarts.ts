import { setTimeout as delay } from 'node:timers/promises'
import { startBalancer } from '../balancer.ts'
import { findLostWrites, findPartialWrites, withDatabase } from '../check-database.ts'
import { outboxOf } from '../person.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { freePort, startService } from '../service-process.ts'
import { countTroubles, startTraffic } from '../traffic.ts'

export const rollingRestarts: Scenario = {
  name: 'rolling-restarts',
  promise:
    'Two processes behind a balancer are restarted in turn with SIGTERM under constant load. No request is lost or refused (T195).',
  needs: ['postgres'],
  async run({ quick, postgres, folder, say }) {
    const cluster = await postgres()
    const ports = [await freePort(), await freePort()]
    const environment = {
      DATABASE_URL: await cluster.createDatabase(),
      DATA_DIR: await folder(),
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'error',
    }
    const start = (port: number) => startService({ ...environment, PORT: String(port), BASE_URL: `http://localhost:${ports[0]}` })
    const services = [await start(ports[0] as number), await start(ports[1] as number)]
    const balancer = await startBalancer(ports)
    const target = { url: `http://127.0.0.1:${balancer.port}`, origin: `http://localhost:${ports[0]}` }
    const traffic = await startTraffic(target, outboxOf(environment.DATA_DIR))
    const began = Date.now()
    const rounds = quick ? 2 : 20
    const codes: (number | null)[] = []
    const stopTimes: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const index = round % 2
      const asked = Date.now()
      const ended = await services[index]?.end('SIGTERM')
      stopTimes.push(Date.now() - asked)
      codes.push(ended?.code ?? null)
      services[index] = await start(ports[index] as number)
      // The balancer must see the new process before the other one stops.
      await delay(1_000)
      say(`restart ${round + 1}: stopped in ${stopTimes.at(-1)} ms, ${traffic.attempts.length} requests so far`)
    }
    await traffic.stop()
    const ms = Date.now() - began
    balancer.close()
    await Promise.all(services.map((service) => service.end('SIGTERM')))
    const [lost, partial] = await withDatabase(environment, async (db) => [
      await findLostWrites(db, traffic),
      await findPartialWrites(db),
    ])

    const failed = traffic.attempts.filter(({ status }) => status === null || status >= 500)
    const problems = [...countTroubles(traffic.attempts), ...lost.map((what) => `lost: ${what}`), ...partial]
    problems.push(...failed.map(({ kind, status, ms }) => `${kind}: ${status ?? 'no answer'} after ${Math.round(ms)} ms`))
    expectThat(
      problems,
      codes.every((code) => code === 0),
      `exit codes ${codes}`,
    )
    // The limit of docs/deployment.md, which gives a busy machine time for pending answers.
    expectThat(problems, Math.max(...stopTimes) < 25_000, `a stop took ${Math.max(...stopTimes)} ms`)
    return {
      load: `${formatRate(traffic.attempts.length, ms)} from 8 callers`,
      faults: `${rounds} restarts by SIGTERM, one process at a time`,
      requests: traffic.attempts.length,
      lost: `${failed.length} requests, ${lost.length} acknowledged writes`,
      recovery: `a process stopped within ${Math.max(...stopTimes)} ms of its signal`,
      problems,
    }
  },
}
