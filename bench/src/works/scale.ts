import { floorpassSessionsSql, query, sessionsPerUser, userCount } from '../data.ts'
import { atMost, type Bench, type Findings, floorpassOf, none, whole, withServers } from '../measure.ts'
import { floorpassSide, getSession } from '../requests.ts'
import { generate, postgresCpuSeconds, type Server } from '../servers.ts'

const loaded = userCount * sessionsPerUser

/**
 * Processor time a request, of the service and of its database together, as the table grows: nothing in memory, then all of it. One
 * service, whose table is exchanged: the sizes take turns, for minutes apart a shared machine differs by more than what is looked for.
 */
export async function scale(bench: Bench): Promise<Findings> {
  const findings = none()
  const url = bench.databases.floorpass
  const sizes = bench.quick ? [loaded] : [1_000, loaded, 3_000_000]
  const sessions = Array.from({ length: 900 }, (_, index) => index)
  for (const size of sizes) await prepare(url, size)
  let current = loaded
  const exchange = async (size: number) => {
    if (size === current) return
    await query(
      url,
      `ALTER TABLE sessions SET SCHEMA ${schemaOf(current)}; ALTER TABLE ${schemaOf(size)}.sessions SET SCHEMA public`,
    )
    current = size
  }

  await withServers([floorpassOf(bench)], async (server) => {
    const { port, cpuSeconds } = server as Server
    const requests = getSession(floorpassSide, port, sessions)
    const ask = (seconds: number, repeat: boolean) => generate({ port, connections: 8, seconds, rate: null, repeat, ...requests })
    const spent = async (size: number, forget: boolean) => {
      // What the service hears when a table is emptied: it drops all that it has.
      const drop = async () => forget && query(url, `SELECT pg_notify('floorpass_sessions', 'all')`)
      await exchange(size)
      await drop()
      // Each connection plans its statements anew for another table: not in the measured pass.
      await ask(20, false)
      await drop()
      const before = (await cpuSeconds()) + (await postgresCpuSeconds(url))
      const { answers, wrong, firstWrong } = await ask(forget ? 20 : 0.5, !forget)
      if (wrong > 0) findings.wrong.push(`scale: ${firstWrong}`)
      return { answers, seconds: (await cpuSeconds()) + (await postgresCpuSeconds(url)) - before }
    }
    /** Of all passes together: the kernel counts a process's time in hundredths of a second, and one pass takes twenty of them. */
    const inTurns = async (forget: boolean) => {
      const sums = sizes.map(() => ({ answers: 0, seconds: 0 }))
      for (let pass = -3; pass < 20; pass += 1)
        for (const [index, size] of sizes.entries()) {
          const { answers, seconds } = await spent(size, forget)
          const sum = sums[index]
          if (!sum || pass < 0) continue
          sum.answers += answers
          sum.seconds += seconds
        }
      return sums.map(({ answers, seconds }) => (seconds / answers) * 1e6)
    }
    const report = (work: string, costs: number[], where: string, growth: string) => {
      for (const [index, cost] of costs.entries())
        findings.notes.push(`| ${work} | ${whole(sizes[index] ?? Number.NaN)} sessions, ${where} | | | | ${whole(cost)} | |`)
      const percent = ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN) - 1) * 100
      findings.findings.push(atMost(growth, percent, 10, '% more'))
    }
    report(
      'get-session',
      await inTurns(false),
      'in memory',
      'processor time of get-session from memory, 1,000 → 3,000,000 sessions',
    )
    report(
      'get-session, service and database',
      await inTurns(true),
      'not in memory',
      'the same from the database, PostgreSQL included',
    )
  })
  return findings
}

const schemaOf = (size: number): string => `sessions_${size}`

/** Each table waits in a schema of its own; the one that was loaded, where it is used. */
async function prepare(url: string, size: number): Promise<void> {
  const schema = schemaOf(size)
  await query(url, `CREATE SCHEMA ${schema}`)
  if (size === loaded) return
  const indexes = await query(url, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'sessions'`)
  const definitions = indexes.map(({ indexdef }) => String(indexdef).replace('ON public.', `ON ${schema}.`))
  await query(
    url,
    `CREATE TABLE ${schema}.sessions (LIKE sessions INCLUDING DEFAULTS); SET search_path = ${schema}, public;
     ${floorpassSessionsSql(0, size)}; ${definitions.join(';')}`,
  )
  await query(url, `VACUUM ANALYZE ${schema}.sessions`)
}
