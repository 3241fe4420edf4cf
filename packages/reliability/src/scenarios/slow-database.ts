import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../person.ts'
import { expectThat, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'

export const slowDatabase: Scenario = {
  name: 'slow-database',
  promise:
    'PostgreSQL freezes (SIGSTOP of all its processes). /readyz answers 503 within about 2 s, /healthz still answers 200, and /readyz recovers within 5 s.',
  needs: ['postgres'],
  async run({ quick, postgres, folder }) {
    const cluster = await postgres()
    const service = await startService({
      DATABASE_URL: await cluster.createDatabase(),
      DATA_DIR: await folder(),
      LOG_LEVEL: 'error',
    })
    const target = { url: service.url, origin: service.url }
    const problems: string[] = []
    const rounds = quick ? 1 : 3
    const refusals: number[] = []
    const recoveries: number[] = []
    let requests = 0
    const readiness = async () => {
      const started = performance.now()
      requests += 1
      const { status, headers } = await ask(target, 'GET', '/readyz')
      return { status, retry: headers.get('retry-after'), ms: performance.now() - started }
    }
    for (let round = 0; round < rounds; round += 1) {
      expectThat(problems, (await readiness()).status === 200, 'not ready before the fault')
      cluster.freeze()
      // Poll more often than the pool has connections: polling must not use it up.
      for (let poll = 0; poll < 12; poll += 1) {
        const started = performance.now()
        const [{ status, retry, ms }, { alive, took }] = await Promise.all([
          readiness(),
          ask(target, 'GET', '/healthz').then((reply) => ({ alive: reply, took: performance.now() - started })),
        ])
        // Subtract what a request without the database takes on this machine.
        refusals.push(ms - took)
        expectThat(problems, status === 503 && retry !== null, `/readyz answered ${status} with a frozen database`)
        expectThat(problems, alive.status === 200, `/healthz answered ${alive.status}`)
        if (quick && poll === 3) break
      }
      cluster.thaw()
      const back = Date.now()
      while ((await readiness()).status !== 200 && Date.now() - back < 30_000) await delay(50)
      recoveries.push(Date.now() - back)
    }
    await service.end('SIGTERM')
    // A quick run shares the machine with other tests: the fastest answer shows the limit, and the slowest is below that of a statement.
    const isLate = quick ? Math.min(...refusals) > 2_500 || Math.max(...refusals) > 8_000 : Math.max(...refusals) > 2_500
    expectThat(problems, !isLate, `/readyz took ${refusals.map(Math.round).join(', ')} ms more than /healthz`)
    const longestRecovery = quick ? 15_000 : 5_000
    expectThat(problems, Math.max(...recoveries) < longestRecovery, `/readyz took ${Math.max(...recoveries)} ms to recover`)
    return {
      load: '/readyz and /healthz, one after the other',
      faults: `${rounds} × frozen for ${quick ? 4 : 12} polls`,
      requests: requests + refusals.length,
      lost: `nothing; /readyz took at most ${Math.round(Math.max(...refusals))} ms longer than /healthz`,
      recovery: `ready at most ${Math.max(...recoveries)} ms after the database resumed`,
      problems,
    }
  },
}
