import { floorpassSessionsSql, query, sessionsPerUser, userCount } from '../data.ts'
import { atMost, type Bench, emptyFindings, type Findings, formatInteger, startFloorpassFor, withServers } from '../measure.ts'
import { floorpassSide, getSession } from '../requests.ts'
import { generate, postgresCpuSeconds, type Server } from '../servers.ts'

const loaded = userCount * sessionsPerUser

/** Measures processor time per request as the table grows. Sizes take turns, because a shared machine varies over minutes. */
export async function scale(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const url = bench.databases.floorpass
  const sizes = bench.quick ? [loaded] : [1_000, loaded, 3_000_000]
  const sessions = Array.from({ length: 900 }, (_, index) => index)
  for (const size of sizes) await createTable(url, size)
  let current = loaded
  const swapTable = async (size: number) => {
    if (size === current) return
    await query(
      url,
      `ALTER TABLE sessions SET SCHEMA ${schemaName(current)}; ALTER TABLE ${schemaName(size)}.sessions SET SCHEMA public`,
    )
    current = size
  }

  await withServers([startFloorpassFor(bench)], async (server) => {
    const { port, cpuSeconds } = server as Server
    const requests = getSession(floorpassSide, port, sessions)
    const ask = (seconds: number, repeat: boolean) => generate({ port, connections: 8, seconds, rate: null, repeat, ...requests })
    const measurePass = async (size: number, dropCache: boolean) => {
      // The notification of a TRUNCATE makes the service drop its cache.
      const drop = async () => dropCache && query(url, `SELECT pg_notify('floorpass_sessions', 'all')`)
      await swapTable(size)
      await drop()
      // Each connection replans its statements after a swap. Keep that out of the measured pass.
      await ask(20, false)
      await drop()
      const before = (await cpuSeconds()) + (await postgresCpuSeconds(url))
      const { answers, wrong, firstWrong } = await ask(dropCache ? 20 : 0.5, !dropCache)
      if (wrong > 0) findings.wrong.push(`scale: ${firstWrong}`)
      return { answers, seconds: (await cpuSeconds()) + (await postgresCpuSeconds(url)) - before }
    }
    /** Sums many passes: one pass takes 0.2 s, and the kernel counts processor time in steps of 0.01 s. */
    const measureInTurns = async (dropCache: boolean) => {
      const sums = sizes.map(() => ({ answers: 0, seconds: 0 }))
      for (let pass = -3; pass < 20; pass += 1)
        for (const [index, size] of sizes.entries()) {
          const { answers, seconds } = await measurePass(size, dropCache)
          const sum = sums[index]
          if (!sum || pass < 0) continue
          sum.answers += answers
          sum.seconds += seconds
        }
      return sums.map(({ answers, seconds }) => (seconds / answers) * 1e6)
    }
    const report = (benchmark: string, costs: number[], where: string, growth: string) => {
      for (const [index, cost] of costs.entries())
        findings.notes.push(
          `| ${benchmark} | ${formatInteger(sizes[index] ?? Number.NaN)} sessions, ${where} | | | | ${formatInteger(cost)} | |`,
        )
      const percent = ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN) - 1) * 100
      findings.findings.push(atMost(growth, percent, 10, '% more'))
    }
    report(
      'get-session',
      await measureInTurns(false),
      'in memory',
      'processor time of get-session from memory, 1,000 → 3,000,000 sessions',
    )
    report(
      'get-session, service and database',
      await measureInTurns(true),
      'not in memory',
      'the same from the database, PostgreSQL included',
    )
  })
  return findings
}

const schemaName = (size: number): string => `sessions_${size}`

/** Creates a table of this size in a separate schema. The loaded table stays in `public`. */
async function createTable(url: string, size: number): Promise<void> {
  const schema = schemaName(size)
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
