import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@floorpass/testing/eventually'
import { testDatabase } from '@floorpass/testing/test-database'
import {
  askWorker,
  countStarts,
  isAlive,
  metricOf,
  startWorkers,
  type WorkerService,
  warningsOf,
  workersOf,
} from '@floorpass/testing/worker-service'
import { beforeAll, describe, expect, test } from 'vitest'

describe.runIf(testDatabase.kind === 'postgres')('two workers', () => {
  test.concurrent('a hanging worker is killed and replaced while the other serves on', async () => {
    const server = await startWorkers()
    const [hanging] = workersOf(server)
    process.kill(hanging ?? 0, 'SIGSTOP')
    await eventually(() => expect(countStarts(server)).toBe(3), 90_000)
    expect(workersOf(server)).not.toContain(hanging)
    expect(warningsOf(server)).toMatchObject([
      { level: 50, pid: hanging, msg: 'worker unresponsive: killing it' },
      { level: 40, pid: hanging, signal: 'SIGKILL', msg: 'worker exited: starting a replacement' },
    ])
    expect((await server.end('SIGINT')).code).toBe(0)
  })

  describe.concurrent('that crash', () => {
    let server: WorkerService
    const killed = new Set<number>()
    beforeAll(async () => {
      server = await startWorkers()
    })

    test('are replaced while the other serves on, and no counter falls', { concurrent: false }, async () => {
      const count = 'floorpass_http_requests_total{route="/healthz",method="GET",status="2xx"}'
      for (let asked = 0; asked < 4; asked += 1) await askWorker(server, { path: '/healthz' })
      expect(await metricOf(server, count)).toBe(4)
      const [first] = workersOf(server)
      process.kill(first ?? 0, 'SIGKILL')
      killed.add(first ?? 0)
      await eventually(() => expect(isAlive(first ?? 0)).toBe(false))
      expect((await askWorker(server, { path: '/healthz' })).status).toBe(200)
      await eventually(() => expect(countStarts(server)).toBe(3), 60_000)
      expect(await metricOf(server, 'floorpass_workers')).toBe(2)
      expect(await metricOf(server, count)).toBe(5)
      expect(server.logs().filter(({ msg }) => String(msg).startsWith('worker exited'))).toMatchObject([
        { level: 40, pid: first, code: null, signal: 'SIGKILL' },
      ])
      expect(server.stdout().match(/runs at/g)).toHaveLength(1)
    })

    // Last, because it ends the service of the test above.
    test('again and again end the service with a message', { concurrent: false }, async () => {
      const isOver = server.exited.then(() => true)
      while (!(await Promise.race([isOver, delay(50, false)]))) {
        const [victim] = workersOf(server).filter((pid) => !killed.has(pid))
        if (victim === undefined) continue
        process.kill(victim, 'SIGKILL')
        killed.add(victim)
      }
      const { code, stderr } = await server.exited
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Floorpass stops: 5 workers died .+ by SIGKILL\..+\n$/)])
      // On a busy machine some of them die too far apart to count together.
      expect(killed.size).toBeGreaterThanOrEqual(5)
      expect(workersOf(server)).toEqual([])
    })
  })
})
