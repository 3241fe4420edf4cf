import { setTimeout as delay } from 'node:timers/promises'
import { ask } from '../person.ts'
import { startRedis } from '../redis-process.ts'
import { expectThat, formatRate, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'

/** The limit verify-email:ip. Its route does little else. */
const attemptsPerMinute = 30
/** An attempt that Redis counts but does not confirm within a second counts twice, so fewer may pass (ADR 020). */
const fewestPassed = attemptsPerMinute / 2
/** The service waits a second for Redis, and gives the connection up after another. */
const longestWaitMs = 3_000

export const redisOutage: Scenario = {
  name: 'redis-outage',
  promise:
    'Redis is stopped, started and frozen under load. No request fails or waits for Redis longer than three seconds, no fault lets attempts exceed the limit, each outage logs one to three warnings, and counting returns to Redis.',
  needs: ['redis'],
  async run({ quick, redisBinary, folder, say }) {
    const redis = await startRedis(redisBinary)
    const environment = {
      DATA_DIR: await folder(),
      REDIS_URL: redis.url,
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'info',
    }
    const service = await startService(environment)
    const target = { url: service.url, origin: service.url }
    const body = { token: 'A'.repeat(43) }
    const seen: { status: number | null; ms: number }[] = []
    let running = true
    let address = 0
    /** Each request has a different address, so none exceeds the limit. */
    const callers = Array.from({ length: 4 }, async () => {
      while (running) {
        const number = ++address
        const started = performance.now()
        const status = await ask(target, 'POST', '/auth/verify-email', {
          body,
          headers: { 'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` },
        }).then(
          (reply) => reply.status,
          () => null,
        )
        seen.push({ status, ms: performance.now() - started })
        await delay(5)
      }
    })
    const others: number[] = []
    const control = (async () => {
      while (running) {
        const started = performance.now()
        await ask(target, 'GET', '/healthz')
        others.push(performance.now() - started)
        await delay(5)
      }
    })()
    let floods = 0
    /** Sends 40 requests from one address and resolves to how many pass the limit. */
    const flood = async () => {
      floods += 1
      const number = floods
      const replies = Array.from({ length: 40 }, () =>
        ask(target, 'POST', '/auth/verify-email', {
          body,
          headers: { 'x-forwarded-for': `192.0.2.${number}` },
        }),
      )
      const statuses = (await Promise.all(replies)).map(({ status }) => status)
      return statuses.filter((status) => status !== 429).length
    }

    const began = Date.now()
    const passed: Record<string, number> = { 'with Redis': await flood() }
    const rounds = quick ? 1 : 3
    const problems: string[] = []
    for (let round = 1; round <= rounds; round += 1) {
      await redis.stop()
      passed[`without, round ${round}`] = await flood()
      await redis.start()
      for (const end = Date.now() + 5_000; !service.stdout().includes('"redis connection restored"') && Date.now() < end; )
        await delay(50)
      await delay(500)
      passed[`back, round ${round}`] = await flood()
      redis.freeze()
      passed[`frozen, round ${round}`] = await flood()
      redis.thaw()
      await delay(1000)
      say(`round ${round}: ${JSON.stringify(passed)}`)
    }
    running = false
    await Promise.all([...callers, control])
    const ms = Date.now() - began
    // Stop the service first, so that it does not log this as an outage.
    const { code } = await service.end('SIGTERM')
    await redis.stop()

    const failed = seen.filter(({ status }) => status !== 400)
    const slowest = Math.max(...seen.map((attempt) => attempt.ms))
    const logs = service.logs()
    const warnings = logs.filter(({ msg }) => String(msg).startsWith('redis connection lost')).length
    const returns = logs.filter(({ msg }) => msg === 'redis connection restored').length
    for (const [when, count] of Object.entries(passed))
      expectThat(
        problems,
        count <= attemptsPerMinute && count >= fewestPassed,
        `${count} of 40 requests from one address passed ${when}`,
      )
    expectThat(
      problems,
      failed.length === 0,
      `${failed.length} requests failed: ${[...new Set(failed.map(({ status }) => status))]}`,
    )
    expectThat(problems, warnings >= rounds && warnings <= 3 * rounds, `${warnings} warnings for ${rounds} outages`)
    expectThat(problems, returns >= rounds, `Redis came back ${returns} times for ${rounds} outages`)
    const slowestOther = Math.max(...others)
    expectThat(
      problems,
      slowest - slowestOther < longestWaitMs,
      `a request took ${Math.round(slowest)} ms, /healthz at most ${Math.round(slowestOther)} ms`,
    )
    expectThat(problems, code === 0, `the service exited with code ${code}`)
    return {
      load: `${formatRate(seen.length, ms)} from 4 callers, plus floods from one address`,
      faults: `${rounds} × stopped, started, frozen (SIGSTOP)`,
      requests: seen.length + floods * 40,
      lost: `${failed.length} requests failed; ${Math.min(...Object.values(passed))} to ${Math.max(...Object.values(passed))} of 40 requests from one address passed, and 30 may`,
      recovery: `slowest request ${Math.round(slowest)} ms, slowest /healthz meanwhile ${Math.round(slowestOther)} ms`,
      problems,
    }
  },
}
