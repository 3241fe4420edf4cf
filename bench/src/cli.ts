import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadData } from './data.ts'
import type { Bench, Findings } from './measure.ts'
import { root, startBetterAuth, stopEverything } from './servers.ts'
import { works } from './works.ts'

/** Seconds, the loading not counted. */
const longest = 560

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } })
const adminUrl = process.env.BENCH_DATABASE_URL ?? process.env.DATABASE_URL
const say = (line: string) => void process.stderr.write(`${line}\n`)
const fail = (what: string): never => {
  say(what)
  process.exit(1)
}

const quickWorks = ['get-session', 'in-process', 'revocation']
const names = values.only?.split(',') ?? (values.quick ? quickWorks : Object.keys(works))
const unknown = names.filter((name) => !Object.hasOwn(works, name))
if (unknown.length > 0) fail(`There is no measurement called ${unknown.join(', ')}. Known: ${Object.keys(works).join(', ')}.`)
if (!adminUrl) fail('The bench needs a PostgreSQL server where it may create databases: set BENCH_DATABASE_URL=postgresql://…')

const folder = await mkdtemp(join(tmpdir(), 'floorpass-bench-'))
say('Loading 100,000 users and 300,000 sessions on both sides …')
const databases = await loadData(adminUrl as string, async (url) => (await startBetterAuth(url, { migrate: true })).stop())
const found: (Findings & { name: string })[] = []
const began = performance.now()
let skipped: string[] = []
const failed: string[] = []
const bench: Bench = {
  databases,
  folder,
  quick: values.quick,
  rounds: values.quick ? 1 : 3,
  seconds: values.quick ? 0.5 : 1.5,
  say,
}
const late = setTimeout(() => {
  skipped = names.slice(found.length)
  say(`The bench takes longer than ${longest} s: ${skipped.join(', ')} left out.`)
  // Ends the servers under the measurement that runs, and with them the measurement.
  stopEverything()
}, longest * 1000)
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true
    stopEverything()
  })

/** A measurement that fails is a line of the report, and the others go on. */
async function measure(name: string): Promise<Findings> {
  try {
    return await (works[name] as (bench: Bench) => Promise<Findings>)(bench)
  } catch (error) {
    if (isInterrupted || skipped.length > 0) throw error
    stopEverything()
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    // Without a path of this machine, and as a cell of the table.
    const reason = (error instanceof Error ? error.message : 'unknown')
      .replace(/\s+/g, ' ')
      .replaceAll(root, '')
      .replaceAll('|', '/')
    const finding = { work: name, measured: `failed: ${reason.slice(0, 200)}`, target: '', met: false }
    failed.push(name)
    return { findings: [finding], notes: [], wrong: [] }
  }
}
try {
  for (const name of names) {
    say(`\n${name} (${Math.round((performance.now() - began) / 1000)} s)`)
    const findings = await measure(name)
    for (const { work, measured, target, met } of findings.findings)
      say(`  ${met === null ? '      ' : met ? 'met   ' : 'missed'} ${work}: ${measured} ${target && `(${target})`}`)
    for (const wrong of findings.wrong) say(`  WRONG  ${wrong}`)
    found.push({ name, ...findings })
  }
} catch (error) {
  if (skipped.length === 0) throw error
} finally {
  clearTimeout(late)
  stopEverything()
  await databases.drop()
  await rm(folder, { recursive: true, force: true })
}

const wrong = found.flatMap((findings) => findings.wrong)
if (!values.quick && !values.only) await writeFile(join(root, 'docs/benchmarks.md'), report())
if (failed.length > 0) say(`These measurements failed: ${failed.join(', ')}.`)
if (wrong.length > 0) say(`${wrong.length} answers were wrong.`)
if (failed.length + wrong.length > 0) process.exit(1)
process.exit(0)

function report(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const dirty =
    git('status', '--porcelain', '--', 'packages', 'apps', 'bench') === '' ? '' : ', with changes that are not committed'
  const [processor] = cpus()
  return `# Benchmarks

Written by \`npm run bench\` at commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${processor?.model}, Node ${process.versions.node},
with load generator, PostgreSQL and everything measured on that one machine. One process on each side, the same PostgreSQL with 100,000 users and 300,000
sessions in a database for each side, better-auth 1.7.6 with database joins on. The contenders take turns in ${3} rounds; figures are medians of the
rounds, ratios are within this run. Every answer was compared with what it must hold; ${wrong.length === 0 ? 'none was wrong' : `${wrong.length} were wrong`}.

## Targets

| Work | Measured | Target | |
|---|---|---|---|
${found
  .flatMap(({ findings }) => findings)
  .map(
    ({ work, measured, target, met }) =>
      `| ${work} | ${measured} | ${target} | ${met === null ? '' : met ? 'met' : '**not met**'} |`,
  )
  .join('\n')}
${skipped.length > 0 ? `\nLeft out, because the bench ends after ten minutes: ${skipped.join(', ')}.\n` : ''}
Where the time goes, and what each change gave: ADR 012, 022 and 024 to 027 in [decisions](decisions).

## Figures

Milliseconds as the client sees them; processor time of the server alone; the generator's share is of one core.

| Work | Contender | a second | p50 ms | p99 ms | server µs an answer | generator |
|---|---|---|---|---|---|---|
${found.flatMap(({ notes }) => notes).join('\n')}
`
}
