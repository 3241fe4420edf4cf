import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Databases, floorpassCookie, floorpassSessionsSql, query, sessionsPerUser, userCount } from './data.ts'
import type { Outcome } from './generator.ts'
import {
  betterAuthSide,
  floorpassSide,
  getSession,
  hotSessions,
  listOrganizations,
  listSessions,
  page,
  type Requests,
  type Side,
  signIn,
  signUp,
  updateUser,
} from './requests.ts'
import {
  answers,
  floorpassEnvironment,
  freePort,
  generate,
  postgresCpuSeconds,
  root,
  type Server,
  startBare,
  startBetterAuth,
  startFloorpass,
} from './servers.ts'

/** What all measurements share. */
export type Bench = {
  databases: Databases
  folder: string
  rounds: number
  seconds: number
  quick: boolean
  say(line: string): void
}

/** One line of the table of targets. `met` is null where nothing was asked for. */
export type Finding = { work: string; measured: string; target: string; met: boolean | null }
export type Findings = { findings: Finding[]; notes: string[]; wrong: string[] }

type Contender = { name: string; server: Server; requests(round: number): Requests; connections?: number }
type Measured = { name: string; rate: number; p50: number; p99: number; cpuMicroseconds: number; generatorShare: number }

const median = (figures: number[]): number => {
  const sorted = figures.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
const whole = (figure: number): string => Math.round(figure).toLocaleString('en')
const ratio = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 1)} ×`

/** The contenders in turn, several times over, so that what else the machine does meets all of them. */
async function compete(
  bench: Bench,
  work: string,
  contenders: Contender[],
  findings: Findings,
  { repeat = true, warm = true, seconds = bench.seconds, rounds = bench.rounds, connections = 32 } = {},
): Promise<Map<string, Measured>> {
  const outcomes = new Map<string, (Outcome & { cpu: number })[]>(contenders.map(({ name }) => [name, []]))
  for (let round = warm ? -1 : 0; round < rounds; round += 1) {
    for (const { name, server, requests } of contenders) {
      const cpu = await server.cpuSeconds()
      const outcome = await generate({
        port: server.port,
        connections,
        rate: null,
        // What keeps sessions in memory meets each of them once before the first round, the others warm up.
        seconds: round >= 0 ? seconds : name === floorpassSide.name && repeat ? 60 : seconds,
        repeat: repeat && round >= 0,
        ...requests(round),
      })
      if (outcome.wrong > 0)
        findings.wrong.push(`${work}, ${name}: ${outcome.wrong} wrong answers, the first: ${outcome.firstWrong}`)
      if (round >= 0) outcomes.get(name)?.push({ ...outcome, cpu: (await server.cpuSeconds()) - cpu })
    }
  }
  const measured = new Map(
    contenders.map(({ name }) => {
      const rows = outcomes.get(name) ?? []
      return [
        name,
        {
          name,
          rate: median(rows.map(({ answers, seconds }) => answers / seconds)),
          p50: median(rows.map(({ p50 }) => p50)),
          p99: median(rows.map(({ p99 }) => p99)),
          cpuMicroseconds: median(rows.map(({ cpu, answers }) => (cpu / answers) * 1e6)),
          generatorShare: median(rows.map(({ generatorCpuSeconds, seconds }) => generatorCpuSeconds / seconds)),
        },
      ]
    }),
  )
  for (const { name, rate, p50, p99, cpuMicroseconds, generatorShare } of measured.values()) {
    const line = `| ${work} | ${name} | ${whole(rate)} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${whole(cpuMicroseconds)} | ${Math.round(generatorShare * 100)} % |`
    findings.notes.push(line)
    bench.say(line)
  }
  return measured
}

const quotient = (measured: Map<string, Measured>, upper: string, lower: string): number =>
  (measured.get(upper)?.rate ?? Number.NaN) / (measured.get(lower)?.rate ?? Number.NaN)

const atLeast = (work: string, figure: number, target: number): Finding => ({
  work,
  measured: ratio(figure),
  target: `≥ ${target} ×`,
  met: figure >= target,
})

const atMost = (work: string, figure: number, target: number, unit: string): Finding => ({
  work,
  measured: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`,
  target: `≤ ${target} ${unit}`,
  met: figure <= target,
})

type Works = Record<string, (bench: Bench) => Promise<Findings>>
/** A bench of ten seconds has no time to meet ten thousand users. */
const hotFor = ({ quick }: Bench): number[] => (quick ? hotSessions.slice(0, 500) : hotSessions)
const none = (): Findings => ({ findings: [], notes: [], wrong: [] })

/** Gives `work` servers and ends them whatever happens. */
async function withServers(start: Promise<Server>[], work: (...servers: Server[]) => Promise<void>): Promise<void> {
  const servers = await Promise.all(start)
  try {
    await work(...servers)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const floorpassOf = ({ databases, folder }: Bench, environment: Record<string, string> = {}) =>
  startFloorpass({ DATABASE_URL: databases.floorpass, ...environment }, folder)

const contender = (side: Side, server: Server, requests: (side: Side, port: number, round: number) => Requests): Contender => ({
  name: side.name,
  server,
  requests: (round) => requests(side, server.port, round),
})

/** The cookies that better-auth's cache gives to each session: what its browsers would send from then on. */
async function cachedSide(bench: Bench, server: Server): Promise<Side> {
  const cookies = new Map<number, string>()
  const waiting = [...hotFor(bench)]
  const fill = async () => {
    for (let session = waiting.pop(); session !== undefined; session = waiting.pop()) {
      const cookie = betterAuthSide.cookie?.(session) ?? ''
      const response = await fetch(`http://127.0.0.1:${server.port}/api/auth/get-session`, { headers: { cookie } })
      await response.arrayBuffer()
      const set = response.headers.getSetCookie().map((header) => header.split(';')[0])
      cookies.set(session, [cookie, ...set].join('; '))
    }
  }
  await Promise.all(Array.from({ length: 8 }, fill))
  return { ...betterAuthSide, name: 'better-auth, cookie cache', cookie: (session) => cookies.get(session) ?? '' }
}

async function getSessionWarm(bench: Bench): Promise<Findings> {
  const findings = none()
  const { databases } = bench
  await withServers(
    [floorpassOf(bench), startBetterAuth(databases.betterAuth), startBetterAuth(databases.betterAuth, { cookieCache: true })],
    async (floorpass, betterAuth, cached) => {
      const like = await fetch(`http://127.0.0.1:${floorpass?.port}/auth/get-session`, {
        headers: { cookie: floorpassCookie(0) },
      })
      await withServers([startBare(like)], async (bare) => {
        const ask = (side: Side, port: number) => getSession(side, port, hotFor(bench))
        const measured = await compete(
          bench,
          'get-session',
          [
            contender(floorpassSide, floorpass as Server, ask),
            contender(betterAuthSide, betterAuth as Server, ask),
            contender(await cachedSide(bench, cached as Server), cached as Server, ask),
            contender({ ...floorpassSide, name: 'bare node:http' }, bare as Server, (side, port) => {
              const { requests } = ask(side, port)
              return { requests, expected: requests.map(() => ({ status: 200, body: '"email":"user-0@' })) }
            }),
          ],
          findings,
        )
        findings.findings.push(
          atLeast('get-session / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 20),
          atLeast(
            'get-session / better-auth with its cookie cache',
            quotient(measured, 'Floorpass', 'better-auth, cookie cache'),
            12,
          ),
          atLeast('get-session / bare node:http', quotient(measured, 'Floorpass', 'bare node:http'), 0.5),
        )
      })
    },
  )
  return findings
}

async function getSessionCold(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    // Every tenth user's, so that neighbours in a page of the table do not warm each other up.
    const cold = Array.from({ length: 90_000 }, (_, index) => ((index * 10) % 90_000) + Math.floor(index / 9_000)).map(
      (user) => (user + 10_000) * sessionsPerUser,
    )
    const each = Math.floor(cold.length / (bench.rounds + 1))
    const ask = (side: Side, port: number, round: number) =>
      getSession(side, port, cold.slice((round + 1) * each, (round + 2) * each))
    const measured = await compete(
      bench,
      'get-session, cold',
      [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { repeat: false },
    )
    findings.findings.push(atLeast('get-session, cold / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 1.5))
  })
  return findings
}

/** The procedure as a team's own server code calls it, in this very process tree but one of its own. */
async function inProcess(bench: Bench): Promise<Findings> {
  const findings = none()
  const { perCall, cpuPerCall, wrong } = JSON.parse(
    await output('bench/servers/in-process.ts', {
      DATABASE_URL: bench.databases.floorpass,
      DATA_DIR: join(bench.folder, 'data'),
    }),
  ) as { perCall: number; cpuPerCall: number; wrong: number }
  if (wrong > 0) findings.wrong.push(`in-process: ${wrong} wrong answers`)
  findings.notes.push(`| sessions.get in-process | ${perCall.toFixed(1)} µs by the clock | | | | ${cpuPerCall.toFixed(1)} | |`)
  findings.findings.push(atMost('sessions.get in-process, warm, processor time', cpuPerCall, 20, 'µs'))
  return findings
}

async function signInWork(bench: Bench): Promise<Findings> {
  const findings = none()
  const seconds = bench.quick ? 1 : 4
  await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    const each = 2_000
    const ask = (side: Side, port: number, round: number) => signIn(side, port, 20_000 + (round + 1) * each, each)
    const measured = await compete(
      bench,
      'sign-in/email',
      [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { seconds, connections: 16 },
    )
    const raw: number[] = []
    for (let round = 0; round < bench.rounds; round += 1)
      raw.push(Number(await output('bench/servers/raw-argon2id.ts', {}, [String(seconds)])))
    findings.notes.push(`| sign-in/email | raw argon2id on all cores | ${whole(median(raw))} | | | | |`)
    findings.findings.push(
      atLeast('sign-in/email / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 5),
      atLeast('sign-in/email / raw argon2id on all cores', (measured.get('Floorpass')?.rate ?? 0) / median(raw), 0.9),
    )
  })
  return findings
}

async function storm(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench)], async (server) => {
    const { port } = server as Server
    const reads = {
      port,
      connections: 16,
      seconds: bench.seconds * 2,
      rate: 500,
      repeat: true,
      ...getSession(floorpassSide, port, hotFor(bench)),
    }
    await generate({ ...reads, rate: null, repeat: false, seconds: 60 })
    const quiet: Outcome[] = []
    const stormy: Outcome[] = []
    for (let round = 0; round < bench.rounds; round += 1) {
      quiet.push(await generate(reads))
      const signIns = signIn(floorpassSide, port, 40_000 + round * 5_000, 5_000)
      const sea = generate({ port, connections: 64, seconds: bench.seconds * 2 + 1, rate: null, repeat: false, ...signIns })
      await delay(500)
      stormy.push(await generate(reads))
      const { wrong, firstWrong, answers, seconds } = await sea
      if (wrong > 0) findings.wrong.push(`storm: ${wrong} sign-ins went wrong, the first: ${firstWrong}`)
      bench.say(
        `storm: ${whole(answers / seconds)} sign-ins a second, get-session p99 ${stormy.at(-1)?.p99} ms, quiet ${quiet.at(-1)?.p99} ms`,
      )
    }
    for (const { wrong, firstWrong } of [...quiet, ...stormy])
      if (wrong > 0) findings.wrong.push(`storm: wrong session: ${firstWrong}`)
    const p99 = (outcomes: Outcome[]) => median(outcomes.map((outcome) => outcome.p99))
    findings.notes.push(`| get-session at 500 a second | quiet | 500 | | ${p99(quiet).toFixed(2)} | | |`)
    findings.notes.push(`| get-session at 500 a second | 64 clients signing in | 500 | | ${p99(stormy).toFixed(2)} | | |`)
    findings.findings.push(atMost('get-session p99 in a sign-in storm / quiet', p99(stormy) / p99(quiet), 5, '×'))
  })
  return findings
}

const versus =
  (
    work: string,
    ask: (side: Side, port: number, round: number) => Requests,
    target: number,
    options: Parameters<typeof compete>[4] = {},
  ) =>
  async (bench: Bench): Promise<Findings> => {
    const findings = none()
    await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
      const measured = await compete(
        bench,
        work,
        [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
        findings,
        options,
      )
      findings.findings.push(atLeast(`${work} / better-auth`, quotient(measured, 'Floorpass', 'better-auth'), target))
    })
    return findings
  }

/** From the answer of sign-out on one process to the first null from another, which is asked without a pause. */
async function revocation(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench), floorpassOf(bench)], async (one, other) => {
    const url = (server: Server | undefined, path: string) => `http://127.0.0.1:${server?.port}/auth/${path}`
    const times: number[] = []
    for (let index = 0; index < (bench.quick ? 20 : 300); index += 1) {
      const cookie = floorpassCookie((95_000 + index) * sessionsPerUser + 1)
      const seen = async () => (await fetch(url(other, 'get-session'), { headers: { cookie } })).json()
      for (let warm = 0; warm < 3; warm += 1)
        if ((await seen()) === null) findings.wrong.push('revocation: a live session was not seen')
      const origin = `http://127.0.0.1:${one?.port}`
      const answer = await fetch(url(one, 'sign-out'), { method: 'POST', headers: { cookie, origin } })
      const answered = performance.now()
      if (!answer.ok) findings.wrong.push(`revocation: sign-out answered ${answer.status}`)
      while ((await seen()) !== null) if (performance.now() - answered > 10_000) throw new Error('a revocation was never seen')
      times.push(performance.now() - answered)
    }
    times.sort((left, right) => left - right)
    findings.findings.push(
      atMost('revocation seen by another process, p99', times[Math.floor(times.length * 0.99)] ?? Number.NaN, 50, 'ms'),
    )
  })
  return findings
}

/** Processor time a request, of the service and of its database together, as the table grows: nothing in memory, then all of it. */
async function scale(bench: Bench): Promise<Findings> {
  const findings = none()
  const url = bench.databases.floorpass
  const sessions = Array.from({ length: 900 }, (_, index) => index)
  const costs: { size: number; cold: number; warm: number }[] = []

  await withServers([floorpassOf(bench)], async (server) => {
    const { port, cpuSeconds } = server as Server
    const requests = getSession(floorpassSide, port, sessions)
    const run = async (forget: boolean) => {
      const figures: number[] = []
      for (let pass = -3; pass < (forget ? 12 : 3); pass += 1) {
        // What the service hears when a table is emptied: it drops all that it has.
        if (forget) await query(url, `SELECT pg_notify('floorpass_sessions', 'all')`)
        const before = (await cpuSeconds()) + (await postgresCpuSeconds(url))
        const outcome = await generate({
          port,
          connections: 8,
          seconds: forget ? 20 : 1,
          rate: null,
          repeat: !forget,
          ...requests,
        })
        const spent = (await cpuSeconds()) + (await postgresCpuSeconds(url)) - before
        if (outcome.wrong > 0) findings.wrong.push(`scale: ${outcome.firstWrong}`)
        if (pass >= 0) figures.push((spent / outcome.answers) * 1e6)
      }
      return median(figures)
    }
    const measure = async (size: number) => costs.push({ size, cold: await run(true), warm: await run(false) })

    await measure(userCount * sessionsPerUser)
    if (!bench.quick) {
      const indexes = await query(
        url,
        `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'sessions' AND indexname <> 'sessions_pkey'`,
      )
      await query(url, indexes.map(({ indexname }) => `DROP INDEX ${indexname}`).join(';'))
      await query(url, floorpassSessionsSql(userCount * sessionsPerUser, 3_000_000))
      await query(url, indexes.map(({ indexdef }) => indexdef).join(';'))
      await query(url, 'VACUUM ANALYZE sessions')
      await measure(3_000_000)
    }
    await query(url, `TRUNCATE sessions; ${floorpassSessionsSql(0, 1_000)}`)
    await query(url, 'VACUUM ANALYZE sessions')
    await measure(1_000)
  })
  costs.sort((left, right) => left.size - right.size)
  for (const { size, cold, warm } of costs) {
    findings.notes.push(`| get-session, service and database | ${whole(size)} sessions, not in memory | | | | ${whole(cold)} | |`)
    findings.notes.push(`| get-session | ${whole(size)} sessions, in memory | | | | ${whole(warm)} | |`)
  }
  const growth = (which: 'cold' | 'warm') => ((costs.at(-1)?.[which] ?? Number.NaN) / (costs[0]?.[which] ?? Number.NaN) - 1) * 100
  findings.findings.push(
    atMost('processor time of get-session from memory, 1,000 → 3,000,000 sessions', growth('warm'), 10, '% more'),
    atMost('the same from the database, PostgreSQL included', growth('cold'), 10, '% more'),
  )
  return findings
}

async function workers(bench: Bench): Promise<Findings> {
  const findings = none()
  const ask = (side: Side, port: number) => getSession(side, port, hotFor(bench))
  await withServers([floorpassOf(bench), floorpassOf(bench, { WEB_CONCURRENCY: '2' })], async (one, two) => {
    const measured = await compete(
      bench,
      'get-session',
      [
        contender({ ...floorpassSide, name: 'one process' }, one as Server, ask),
        contender({ ...floorpassSide, name: 'two workers' }, two as Server, ask),
      ],
      findings,
      { connections: 64 },
    )
    findings.findings.push(atLeast('two workers / one', quotient(measured, 'two workers', 'one process'), 1.7))
  })
  return findings
}

async function loginPage(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench)], async (server) => {
    const { port } = server as Server
    const requests = page('/login', port, '</html>')
    await compete(bench, '/login', [{ name: 'Floorpass', server: server as Server, requests: () => requests }], findings)
    const steady = await generate({ port, connections: 64, seconds: bench.seconds * 2, rate: 200, repeat: true, ...requests })
    if (steady.wrong > 0) findings.wrong.push(`/login: ${steady.firstWrong}`)
    findings.notes.push(`| /login at 200 a second | Floorpass | 200 | ${steady.p50.toFixed(2)} | ${steady.p99.toFixed(2)} | | |`)
    findings.findings.push(atMost('/login p99 at 200 requests a second', steady.p99, 25, 'ms'))
  })
  return findings
}

/** `npm start` the second time: everything was built, the database has its data. */
async function starts(bench: Bench): Promise<Findings> {
  const findings = none()
  const start = async (environment: Record<string, string>) => {
    const port = await freePort()
    const began = performance.now()
    const child = spawn('npm', ['start', '--silent'], {
      cwd: root,
      env: floorpassEnvironment({ PORT: String(port), DATA_DIR: join(bench.folder, 'started'), ...environment }),
      stdio: 'ignore',
      detached: true,
    })
    const exited = once(child, 'exit')
    await Promise.race([
      answers(port),
      delay(60_000).then(() => Promise.reject(new Error('npm start did not answer in a minute'))),
    ])
    const took = (performance.now() - began) / 1000
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await exited
    await delay(500)
    return took
  }
  for (const [name, environment, target] of [
    ['embedded', {}, 2],
    ['PostgreSQL', { DATABASE_URL: bench.databases.floorpass }, 1],
  ] as const) {
    const took: number[] = []
    for (let count = 0; count < (bench.quick ? 1 : 4); count += 1) took.push(await start(environment))
    findings.findings.push(atMost(`start to first answer, ${name}`, median(bench.quick ? took : took.slice(1)), target, 's'))
  }
  return findings
}

async function memory(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench)], async (server) => {
    const { port, residentMegabytes } = server as Server
    const atRest = await residentMegabytes()
    await generate({
      port,
      connections: 16,
      seconds: 3,
      rate: null,
      repeat: true,
      ...getSession(floorpassSide, port, hotSessions),
    })
    await generate({ port, connections: 4, seconds: 3, rate: null, repeat: false, ...signUp(floorpassSide, port, 20) })
    const busy = await residentMegabytes()
    await delay(bench.quick ? 0 : 20_000)
    findings.notes.push(
      `| memory, MB | after the start, after work, at rest again | ${whole(atRest)}, ${whole(busy)}, ${whole(await residentMegabytes())} | | | | |`,
    )
    findings.findings.push(
      atMost('memory at rest, on PostgreSQL', atRest, 150, 'MB'),
      atMost('memory at rest after sign-ups', await residentMegabytes(), 150, 'MB'),
    )
  })
  return findings
}

/** Every measurement by its name for `--only`. */
export const works: Works = {
  'get-session': getSessionWarm,
  cold: getSessionCold,
  'in-process': inProcess,
  'sign-in': signInWork,
  storm,
  'sign-up': versus('sign-up/email', (side, port) => signUp(side, port, 2_000), 1.5, {
    repeat: false,
    seconds: 4,
    connections: 64,
  }),
  'list-sessions': versus('list-sessions', listSessions, 1.5),
  'organization-list': versus('organization/list', listOrganizations, 1.5),
  'update-user': versus('update-user', updateUser, 1.5),
  revocation,
  workers,
  login: loginPage,
  start: starts,
  memory,
  scale,
}

/** What a script prints. */
async function output(script: string, environment: Record<string, string>, args: string[] = []): Promise<string> {
  const node = join(root, 'node_modules/node/bin/node')
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: root,
    env: floorpassEnvironment({ RATE_LIMIT: 'off', LOG_LEVEL: 'silent', ...environment }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  await once(child, 'close')
  return printed
}
