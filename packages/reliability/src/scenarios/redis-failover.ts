import { setTimeout as delay } from 'node:timers/promises'
import { ask, expectOk, newPerson, signUp, type Target } from '../person.ts'
import { startRedis } from '../redis-process.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { startSentinelCluster } from '../sentinel-cluster.ts'
import { freePort, type LaunchedService, startService } from '../service-process.ts'
import { startSteppedService } from '../stepped-service.ts'

const attemptsPerMinute = 30
const longestWaitMs = 3_000
const longestSwitchMs = 15_000

async function countPassed(target: Target, address: string, count: number): Promise<number> {
  const replies = Array.from({ length: count }, () =>
    ask(target, 'POST', '/auth/verify-email', { body: { token: 'A'.repeat(43) }, headers: { 'x-forwarded-for': address } }),
  )
  return (await Promise.all(replies)).filter(({ status }) => status !== 429).length
}

const countLines = (service: LaunchedService, message: string): number =>
  service.logs().filter(({ msg }) => String(msg).startsWith(message)).length

export const redisFailover: Scenario = {
  name: 'redis-failover',
  promise:
    'The primary of a Redis below three sentinels is killed under load. No request fails or waits longer than three seconds. Meanwhile each of two processes counts on from what Redis said last, and counting returns to Redis within 15 s.',
  needs: ['redis', 'postgres'],
  isLong: true,
  async run({ redisBinary, postgres, folder, say }) {
    const redis = await startSentinelCluster(redisBinary, await folder())
    const database = await postgres()
    const ports = [await freePort(), await freePort()] as const
    const environment = {
      ...redis.environment,
      DATABASE_URL: await database.createDatabase(),
      DATA_DIR: await folder(),
      BASE_URL: `http://localhost:${ports[0]}`,
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'info',
    }
    const start = (port: number) => startService({ ...environment, PORT: String(port) })
    const services = [await start(ports[0]), await start(ports[1])] as const
    const targets = services.map(({ url }): Target => ({ url, origin: environment.BASE_URL }))
    const floods = (address: string, count: number) =>
      Promise.all(targets.map((target) => countPassed(target, address, count))).then((passed) =>
        passed.reduce((sum, each) => sum + each, 0),
      )

    const seen: { status: number | null; ms: number }[] = []
    let running = true
    let number = 0
    const callers = targets.flatMap((target) =>
      Array.from({ length: 2 }, async () => {
        while (running) {
          const own = ++number
          const started = performance.now()
          const address = `10.${(own >> 16) & 255}.${(own >> 8) & 255}.${own & 255}`
          const status = await ask(target, 'POST', '/auth/verify-email', {
            body: { token: 'A'.repeat(43) },
            headers: { 'x-forwarded-for': address },
          }).then(
            (reply) => reply.status,
            () => null,
          )
          seen.push({ status, ms: performance.now() - started })
          await delay(5)
        }
      }),
    )
    const began = Date.now()
    const problems: string[] = []
    const passed: number[] = []
    const switches: number[] = []
    for (let round = 1; round <= 3; round += 1) {
      await redis.waitUntilWhole()
      const address = `192.0.2.${round}`
      const returns = services.map((service) => countLines(service, 'redis connection restored'))
      const before = await floods(address, 10)
      const startAgain = await redis.killPrimary()
      const killed = Date.now()
      const during = await floods(address, 40)
      const isBack = () =>
        services.every((service, index) => countLines(service, 'redis connection restored') > (returns[index] ?? 0))
      while (!isBack() && Date.now() - killed < 2 * longestSwitchMs) await delay(50)
      switches.push(Date.now() - killed)
      const after = Date.now() - killed < 50_000 ? await floods(address, 40) : 0
      passed.push(before + during + after)
      const shared = await floods(`198.51.100.${round}`, 40)
      expectThat(problems, shared <= attemptsPerMinute, `${shared} attempts passed at a new address after the switch`)
      say(
        `round ${round}: ${before} passed before, ${during} during, ${after} after; back in ${switches.at(-1)} ms; ${shared} shared`,
      )
      startAgain()
    }
    running = false
    await Promise.all(callers)
    const ms = Date.now() - began
    const exits = await Promise.all(services.map((service) => service.end('SIGTERM')))
    redis.remove()

    const failed = seen.filter(({ status }) => status !== 400)
    const slowest = Math.max(...seen.map((attempt) => attempt.ms))
    const most = Math.max(...passed)
    expectThat(
      problems,
      failed.length === 0,
      `${failed.length} requests failed: ${[...new Set(failed.map(({ status }) => status))]}`,
    )
    expectThat(problems, slowest < longestWaitMs, `a request took ${Math.round(slowest)} ms`)
    expectThat(problems, most <= services.length * attemptsPerMinute, `${most} attempts of one address passed`)
    expectThat(problems, Math.max(...switches) < longestSwitchMs, `counting returned to Redis after ${Math.max(...switches)} ms`)
    expectThat(
      problems,
      exits.every(({ code }) => code === 0),
      'a service did not exit with code 0',
    )
    return {
      load: `${formatRate(seen.length, ms)} from 4 callers at two processes, plus floods from one address`,
      faults: `${switches.length} × kill -9 of the primary, below three sentinels`,
      requests: seen.length + switches.length * 260,
      lost: `${failed.length} requests failed; ${passed.join(', ')} attempts of one address passed across a failover, where ${attemptsPerMinute} may: at most ${Math.max(0, most - attemptsPerMinute)} too many`,
      recovery: `counting in Redis again after ${switches.map((each) => (each / 1000).toFixed(1)).join(', ')} s; slowest request ${Math.round(slowest)} ms`,
      problems,
    }
  },
}

const steps = 12
const stepSeconds = 300

export const redisHour: Scenario = {
  name: 'redis-hour',
  promise:
    'Redis is away for an hour of the service’s clock. Sign-ups go on, each window of a limit lets exactly its attempts pass, the log has one line, and counting returns to Redis.',
  needs: ['redis'],
  isLong: true,
  async run({ redisBinary, folder, say }) {
    const redis = await startRedis(redisBinary)
    const directory = await folder()
    const service = await startSteppedService(directory, {
      DATA_DIR: directory,
      REDIS_URL: redis.url,
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'info',
    })
    const target = { url: service.url, origin: service.url }
    const problems: string[] = []
    const began = Date.now()
    await redis.stop()
    const passed: number[] = []
    for (let step = 0; step < steps; step += 1) {
      passed.push(await countPassed(target, '192.0.2.1', attemptsPerMinute + 10))
      expectOk(await signUp(target, newPerson('hour')))
      await service.step(stepSeconds)
    }
    say(`an hour later: ${passed.join(', ')} of ${attemptsPerMinute + 10} passed`)
    await redis.start()
    for (const end = Date.now() + 10_000; countLines(service, 'redis connection restored') === 0 && Date.now() < end; )
      await delay(50)
    const back = await countPassed(target, '192.0.2.2', attemptsPerMinute + 10)
    const { code } = await service.end('SIGTERM')
    const ms = Date.now() - began
    await redis.stop()
    const warnings = countLines(service, 'redis connection lost')
    expectThat(
      problems,
      [...passed, back].every((count) => count === attemptsPerMinute),
      `${[...passed, back].join(', ')} attempts passed in the windows`,
    )
    expectThat(problems, warnings === 1, `${warnings} warnings in one outage`)
    expectThat(problems, code === 0, `the service exited with code ${code}`)
    const requests = (steps + 1) * (attemptsPerMinute + 10) + steps
    return {
      load: `${formatRate(requests, ms)}, in ${steps} windows`,
      faults: `Redis down for ${(steps * stepSeconds) / 60} minutes of the service's clock, in ${steps} steps`,
      requests,
      lost: `nothing: ${steps} of ${steps} sign-ups; ${attemptsPerMinute} of ${attemptsPerMinute + 10} attempts passed in each window`,
      recovery: `counted in Redis again after its return; ${warnings} warning`,
      problems,
    }
  },
}
