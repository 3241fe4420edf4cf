import { apiKeysSql, floorpassSessionsSql, keySecrets, query, sessionsPerUser, userCount } from '../data.ts'
import { atMost, type Bench, emptyFindings, type Findings, formatInteger, startFloorpassFor, withServers } from '../measure.ts'
import { floorpassSide, getSession, type Requests, verifyKey } from '../requests.ts'
import { generate, postgresCpuSeconds, type Server } from '../servers.ts'

type Table = {
  name: 'sessions' | 'api_keys'
  /** Rows in the loaded table. */
  loaded: number
  sizes: number[]
  fillSql(first: number, end: number): string
  requests(port: number): Requests
  /** What is measured, and the allowed growth in percent, from memory and from the database. */
  route: string
  allowed: [inMemory: number, inDatabase: number]
}

const rows = Array.from({ length: 900 }, (_, index) => index)
const loadedSessions = userCount * sessionsPerUser

const tables: Table[] = [
  {
    name: 'sessions',
    loaded: loadedSessions,
    sizes: [1_000, loadedSessions, 3_000_000],
    fillSql: floorpassSessionsSql,
    requests: (port) => getSession(floorpassSide, port, rows),
    route: 'get-session',
    allowed: [10, 10],
  },
  {
    name: 'api_keys',
    loaded: keySecrets.length,
    sizes: [1_000, keySecrets.length, 1_000_000],
    fillSql: apiKeysSql,
    requests: (port) => verifyKey(port, rows),
    route: 'verify by API key',
    allowed: [10, 30],
  },
]

/** Measures processor time per request as a table grows. Sizes take turns, because a shared machine varies over minutes. */
export async function scale(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  for (const table of tables) await measureGrowth(bench, table, findings)
  return findings
}

async function measureGrowth(bench: Bench, table: Table, findings: Findings): Promise<void> {
  const { name, loaded, route, allowed } = table
  const url = bench.databases.floorpass
  const sizes = bench.quick ? [loaded] : table.sizes
  for (const size of sizes) await createTable(url, table, size)
  let current = loaded
  const swapTable = async (size: number) => {
    if (size === current) return
    await query(
      url,
      `ALTER TABLE ${name} SET SCHEMA ${schemaName(table, current)}; ALTER TABLE ${schemaName(table, size)}.${name} SET SCHEMA public`,
    )
    current = size
  }

  await withServers([startFloorpassFor(bench)], async (server) => {
    const { port, cpuSeconds } = server as Server
    const requests = table.requests(port)
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
      if (wrong > 0) findings.wrong.push(`scale of ${name}: ${firstWrong}`)
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
    const report = (costs: number[], where: string, limit: number) => {
      for (const [index, cost] of costs.entries())
        findings.notes.push(
          `| ${route}, ${where} | ${formatInteger(sizes[index] ?? Number.NaN)} rows of ${name} | | | | ${formatInteger(cost)} | |`,
        )
      const percent = ((costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN) - 1) * 100
      const growth = `${formatInteger(sizes[0] ?? Number.NaN)} → ${formatInteger(sizes.at(-1) ?? Number.NaN)} rows of ${name}`
      findings.findings.push(atMost(`processor time of ${route}, ${where}, ${growth}`, percent, limit, '% more'))
    }
    report(await measureInTurns(false), 'from memory', allowed[0])
    report(await measureInTurns(true), 'from the database, PostgreSQL included', allowed[1])
  })
  await swapTable(loaded)
}

const schemaName = ({ name }: Table, size: number): string => `${name}_${size}`

/** Creates a table of this size in a separate schema. The loaded table stays in `public`. */
async function createTable(url: string, table: Table, size: number): Promise<void> {
  const { name, loaded, fillSql } = table
  const schema = schemaName(table, size)
  await query(url, `CREATE SCHEMA ${schema}`)
  if (size === loaded) return
  const indexes = await query(url, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = '${name}'`)
  const definitions = indexes.map(({ indexdef }) => String(indexdef).replace('ON public.', `ON ${schema}.`))
  await query(
    url,
    `CREATE TABLE ${schema}.${name} (LIKE ${name} INCLUDING DEFAULTS); SET search_path = ${schema}, public;
     ${fillSql(0, size)}; ${definitions.join(';')}`,
  )
  await query(url, `VACUUM ANALYZE ${schema}.${name}`)
}
