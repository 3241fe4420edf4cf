import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPatroni, type PatroniCluster, startPatroniCluster } from './patroni-cluster.ts'
import { findPostgres, type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts'
import { findPreviousRelease } from './previous-release.ts'
import { findRedis } from './redis-process.ts'
import { type Row, writeReport } from './report.ts'
import { createFolder, endRun } from './run-end.ts'
import type { Scenario, Workplace } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { killServices } from './service-process.ts'

const usage = `Usage: npm run reliability -- [--quick] [--only <name>[,<name>…]] [--faults <fault>[,<fault>…]]
Breaks the dependencies of the service under load and counts what is lost. A full run writes its figures to docs/reliability.md.
  --quick   fewer rounds (about five minutes); does not write figures, and skips the failovers, a disk that this machine cannot mount and a release that this clone lacks
  --faults  of patroni-failover and patroni-haproxy: one round for each of kill, freeze, orphan, cut; does not write figures
  --only    ${scenarios.map(({ name }) => name).join(', ')}`

const { values: given } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, faults: { type: 'string' }, help: { type: 'boolean' } },
})
const quick = given.quick ?? false
const only = given.only?.split(',')
const faults = given.faults?.split(',') ?? null
if (given.help || only?.some((name) => !scenarios.some((scenario) => scenario.name === name))) {
  console.error(usage)
  process.exit(given.help ? 0 : 2)
}

const postgres = findPostgres()
const binaries = {
  postgres,
  redis: findRedis(),
  mount: canMount(),
  history: await findPreviousRelease(),
  patroni: findPatroni(postgres),
}
const missing = {
  postgres: 'PostgreSQL (initdb and postgres; Debian: apt-get install postgresql)',
  redis: 'Redis (redis-server; Debian: apt-get install redis-server)',
  mount: 'permission to mount a small disk (root, in a container that allows it)',
  history: 'previous release: the clone is shallow (git fetch --unshallow --tags)',
  patroni: 'Patroni, etcd and HAProxy (Debian: apt-get install patroni etcd-server haproxy postgresql)',
}
let cluster: Promise<PostgresCluster> | undefined
let patroniCluster: Promise<PatroniCluster> | undefined
const workplace: Workplace = {
  quick,
  faults,
  redisBinary: binaries.redis ?? '',
  postgres: () => {
    cluster ??= startPostgresCluster(binaries.postgres ?? '')
    return cluster
  },
  patroni: () => {
    patroniCluster ??= startPatroniCluster(binaries.patroni as NonNullable<typeof binaries.patroni>)
    return patroniCluster
  },
  folder: async () => createFolder('reliability'),
  say: (line) => console.log(`  ${line}`),
}

async function runScenario(scenario: Scenario): Promise<Row> {
  const missingNeeds = scenario.needs.filter((need) => !binaries[need])
  const started = Date.now()
  console.log(`\n${scenario.name}: ${scenario.promise}`)
  if (missingNeeds.length > 0) {
    const problem = `not run: this machine has no ${missingNeeds.map((need) => missing[need]).join(', and no ')}`
    console.log(`  FAILED: ${problem}`)
    return { scenario, seconds: 0, outcome: { load: '', faults: '', requests: 0, lost: '', recovery: '', problems: [problem] } }
  }
  const outcome = await scenario.run(workplace).catch((error: Error) => ({
    load: '',
    faults: '',
    requests: 0,
    lost: '',
    recovery: '',
    problems: [`the scenario threw: ${error.stack ?? error.message}`],
  }))
  killServices()
  const { problems, ...figures } = outcome
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(9)} ${value}`)
  for (const problem of problems) console.log(`  FAILED: ${problem}`)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`  ${problems.length === 0 ? 'held' : 'FAILED'} in ${seconds} s`)
  return { scenario, seconds, outcome }
}

process.once('exit', endRun)
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const rows: Row[] = []
const chosen = scenarios.filter(({ name, needs, isLong = false }) => {
  if (only && !only.includes(name)) return false
  const skipped = findSkipReason(needs, isLong)
  if (skipped) console.log(`\n${name}: skipped, ${skipped}`)
  return !skipped
})
for (const scenario of chosen) {
  const row = await runScenario(scenario)
  rows.push(row)
  const version = cluster ? `, ${(await cluster).version.replace(/^.*\) /, 'PostgreSQL ')}` : ''
  const machine = `${cpus().length} cores at load ${loadavg()[0]?.toFixed(0)}, Node ${process.version}${version}`
  if (!quick && !faults) await writeReport([row], { machine, commit })
}

const failed = rows.filter(({ outcome }) => outcome.problems.length > 0)
console.log(`\n${rows.length - failed.length} scenarios held, ${failed.length} failed`)
// The pipeline counts these fields, as in a test report.
const counts = { numPassedTests: rows.length - failed.length, numFailedTests: failed.length, testResults: [] }
await mkdir('reports', { recursive: true })
await writeFile(
  'reports/reliability.json',
  JSON.stringify({
    ...counts,
    scenarios: rows.map(({ scenario: { name }, seconds, outcome }) => ({ name, seconds, ...outcome })),
  }),
)
process.exit(failed.length === 0 ? 0 : 1)

function findSkipReason(needs: Scenario['needs'], isLong: boolean): string | null {
  if (quick && isLong) return 'it takes minutes'
  const optional = quick ? (['mount', 'history', 'patroni'] as const) : (['patroni'] as const)
  const need = optional.find((each) => needs.includes(each) && !binaries[each])
  return need ? `this machine has no ${missing[need]}` : null
}

/** Tries a mount: a container may forbid it even to root. */
function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-reliability-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}
