import { setTimeout as delay } from 'node:timers/promises'
import { findLostWrites, findPartialWrites, withDatabase } from '../check-database.ts'
import type { PatroniCluster, PatroniNode } from '../patroni-cluster.ts'
import { ask, cookiesOf, expectOk, outboxOf, signedInPerson, signIn, type Target } from '../person.ts'
import { expectThat, formatRate, type Scenario, type Workplace } from '../scenario.ts'
import { freePort, startService } from '../service-process.ts'
import { baselineLatency, countTroubles, findUnrecovered, startTraffic, watchRecovery } from '../traffic.ts'

const longestRecovery = 10_000
/** The bound of ADR 012: a process that may miss changes answers from the database after this time. */
const longestStale = 3_000

type Fault = 'kill' | 'freeze' | 'orphan' | 'cut'
const allFaults: readonly Fault[] = ['kill', 'freeze', 'kill', 'orphan', 'kill', 'cut', 'kill', 'kill', 'kill', 'kill']

function readFault(name: string): Fault {
  const fault = allFaults.find((each) => each === name)
  if (!fault) throw new Error(`unknown fault ${name}: use ${[...new Set(allFaults)].join(', ')}`)
  return fault
}

const breakNode: Record<Fault, (node: PatroniNode) => void> = {
  kill: (node) => node.kill(),
  freeze: (node) => node.freeze(),
  orphan: (node) => node.killPatroni(),
  cut: (node) => node.cut(),
}

/** Brings the former primary back. An orphan keeps running as a primary until here, next to the new one. */
const mendNode: Record<Fault, (node: PatroniNode) => void> = {
  kill: (node) => node.start(),
  freeze: (node) => node.thaw(),
  orphan(node) {
    node.kill()
    node.start()
  },
  cut: (node) => node.heal(),
}

const createScenario = (name: string, through: 'hosts' | 'proxy', promise: string): Scenario => ({
  name,
  promise,
  needs: ['patroni'],
  isLong: true,
  run: (workplace) => runFailovers(workplace, through),
})

export const patroniFailover = createScenario(
  'patroni-failover',
  'hosts',
  'The primary of a Patroni cluster with synchronous replication fails ten times: killed, frozen and thawed, orphaned, cut off etcd. DATABASE_URL names the three hosts. No acknowledged write is lost, service is back within 10 s, and no process accepts a revoked session or uses the old primary.',
)

export const patroniProxy = createScenario('patroni-haproxy', 'proxy', 'The same ten faults, with HAProxy in DATABASE_URL.')

async function runFailovers({ patroni, folder, say, faults: chosen }: Workplace, through: 'hosts' | 'proxy') {
  const faults = chosen ? chosen.map(readFault) : allFaults
  const cluster = await patroni()
  const urls = await cluster.createDatabase()
  const database = new URL(urls.proxy).pathname.slice(1)
  const ports = [await freePort(), await freePort()] as const
  const environment = {
    DATABASE_URL: urls[through],
    DATA_DIR: await folder(),
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    BASE_URL: `http://localhost:${ports[0]}`,
  }
  const start = (port: number) => startService({ ...environment, PORT: String(port) })
  const services = [await start(ports[0]), await start(ports[1])] as const
  const [first, second] = services.map(({ url }): Target => ({ url, origin: environment.BASE_URL })) as [Target, Target]
  const mailbox = outboxOf(environment.DATA_DIR)
  const loads = [await startTraffic(first, mailbox), await startTraffic(second, mailbox)]
  const baseline = Math.max(...(await Promise.all(loads.map(baselineLatency))))
  const began = Date.now()
  const problems: string[] = []
  const recoveries: number[] = []
  const staleTimes: number[] = []

  for (const [round, fault] of faults.entries()) {
    await cluster.waitUntilWhole()
    const person = await signedInPerson(first, mailbox)
    const later = cookiesOf(expectOk(await signIn(second, person)))
    for (const target of [first, second]) await expectSession(target, later, true)
    await revoke(first, person.cookie)

    const old = await cluster.findPrimary()
    if (!old) throw new Error('the cluster has no primary')
    const since = Date.now()
    breakNode[fault](old)
    if (fault === 'freeze') void thawAfterSwitch(cluster, old)
    await waitForSwitch(cluster, old)
    const switched = Date.now() - since
    const recovery = Math.max(...(await Promise.all(loads.map((load) => watchRecovery(load, since, 8_000)))))
    recoveries.push(recovery)
    for (const load of loads) problems.push(...findUnrecovered(load.attempts, since + switched))

    const stale = await watchRevoked(first, [first, second], later)
    staleTimes.push(stale)
    for (const target of [first, second])
      expectThat(
        problems,
        !(await hasSession(target, person.cookie)),
        `round ${round + 1}: a session revoked before the fault lives`,
      )
    say(
      `${fault} ${round + 1}: node ${old.name}, promoted after ${switched} ms, served after ${Math.round(recovery)} ms, a revoked session for ${stale} ms`,
    )
    mendNode[fault](old)
  }
  await cluster.waitUntilWhole()
  await Promise.all(loads.map((load) => load.stop()))
  const ms = Date.now() - began
  const exits = await Promise.all(services.map((service) => service.end('SIGTERM')))
  const attempts = loads.flatMap((load) => load.attempts)
  const [lost, partial] = await withDatabase({ ...environment, DATABASE_URL: await cluster.primaryUrl(database) }, async (db) => [
    (await Promise.all(loads.map((load) => findLostWrites(db, load)))).flat(),
    await findPartialWrites(db),
  ])

  const slowest = Math.max(...recoveries)
  const stalest = Math.max(...staleTimes)
  const writes = loads.reduce((sum, { signedUp, names }) => sum + signedUp.length + (names[0]?.acknowledged ?? 0), 0)
  problems.push(...countTroubles(attempts), ...lost.map((what) => `lost: ${what}`), ...partial)
  expectThat(
    problems,
    slowest < longestRecovery + baseline,
    `recovery took ${Math.round(slowest)} ms, and a request before took up to ${Math.round(baseline)} ms`,
  )
  expectThat(problems, stalest < longestStale, `a session was served for ${stalest} ms after it was revoked`)
  expectThat(
    problems,
    exits.every(({ code }) => code === 0),
    `the services exited with codes ${exits.map(({ code }) => code)}`,
  )
  const refused = attempts.filter(({ status }) => status === 503).length
  return {
    load: `${formatRate(attempts.length, ms)} from 16 callers at two processes`,
    faults: `${recoveries.length} failovers of three nodes below one etcd (${countFaults(faults)})`,
    requests: attempts.length,
    lost: `${refused} requests answered 503, ${lost.length} of ${writes} acknowledged writes lost; a revoked session was served for at most ${stalest} ms`,
    recovery: `${recoveries.map((each) => (each / 1000).toFixed(1)).join(', ')} s after the fault; a request before took up to ${Math.round(baseline)} ms`,
    problems,
  }
}

const countFaults = (faults: readonly Fault[]): string => {
  const counted = Map.groupBy(faults, (fault) => fault)
  return [...counted].map(([fault, each]) => `${each.length} × ${fault}`).join(', ')
}

async function waitForSwitch(cluster: PatroniCluster, old: PatroniNode): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await delay(50)) if (await cluster.findPrimary(old)) return
  throw new Error('no standby was promoted')
}

async function thawAfterSwitch(cluster: PatroniCluster, old: PatroniNode): Promise<void> {
  await waitForSwitch(cluster, old)
  old.thaw()
}

const hasSession = async (target: Target, cookie: string): Promise<boolean> => {
  const { status, body } = await ask(target, 'GET', '/auth/get-session', { cookie })
  return status === 200 && body !== null
}

async function expectSession(target: Target, cookie: string, isAlive: boolean): Promise<void> {
  for (const end = Date.now() + 5_000; (await hasSession(target, cookie)) !== isAlive; await delay(50))
    if (Date.now() > end) throw new Error(`the session is ${isAlive ? 'not ' : ''}alive`)
}

/** Revokes the caller's session. Tries again on 503: the outage may not be over for every connection. */
async function revoke(target: Target, cookie: string): Promise<void> {
  for (const end = Date.now() + 30_000; ; await delay(50)) {
    const { status } = await ask(target, 'POST', '/auth/sign-out', { cookie })
    if (status === 200 || !(await hasSession(target, cookie).catch(() => true))) return
    if (Date.now() > end) throw new Error(`sign-out answered ${status}`)
  }
}

/** Revokes a session at one process and resolves to the milliseconds for which any process still served it. */
async function watchRevoked(target: Target, targets: readonly Target[], cookie: string): Promise<number> {
  for (const each of targets) await hasSession(each, cookie)
  await revoke(target, cookie)
  const revoked = performance.now()
  let served = 0
  while (performance.now() - revoked < 2 * longestStale) {
    for (const each of targets) {
      const asked = performance.now() - revoked
      if (await hasSession(each, cookie)) served = Math.max(served, Math.ceil(asked))
    }
    await delay(10)
  }
  return served
}
