import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.ts'
import { loadData } from './data.ts'
import type { Bench, Findings } from './measure.ts'
import { root, startBetterAuth, stopEverything } from './servers.ts'

/** Seconds, without the time that loading takes. */
const longestRun = 860

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } })
const adminUrl = process.env.BENCH_DATABASE_URL ?? process.env.DATABASE_URL
const say = (line: string) => void process.stderr.write(`${line}\n`)
const fail = (what: string): never => {
  say(what)
  process.exit(1)
}

const quickBenchmarks = ['get-session', 'in-process', 'revocation']
const names = values.only?.split(',') ?? (values.quick ? quickBenchmarks : Object.keys(benchmarks))
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0)
  fail(`There is no benchmark called ${unknown.join(', ')}. Use some of: ${Object.keys(benchmarks).join(', ')}.`)
if (!adminUrl)
  fail('The benchmarks need a PostgreSQL server where they may create databases. Set BENCH_DATABASE_URL=postgresql://…')

const folder = await mkdtemp(join(tmpdir(), 'floorpass-bench-'))
say('Loading 100,000 users and 300,000 sessions for Floorpass and for better-auth …')
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
const timeout = setTimeout(() => {
  skipped = names.slice(found.length)
  say(`The benchmarks take longer than ${longestRun} s. Skipped: ${skipped.join(', ')}.`)
  // Without its servers the running benchmark fails.
  stopEverything()
}, longestRun * 1000)
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true
    stopEverything()
  })

/** Runs one benchmark. A failure becomes a line of the report, and the next benchmark runs. */
async function measure(name: string): Promise<Findings> {
  try {
    return await (benchmarks[name] as (bench: Bench) => Promise<Findings>)(bench)
  } catch (error) {
    if (isInterrupted || skipped.length > 0) throw error
    stopEverything()
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    // The report is committed: keep local paths and table separators out of it.
    const reason = (error instanceof Error ? error.message : 'unknown')
      .replace(/\s+/g, ' ')
      .replaceAll(root, '')
      .replaceAll('|', '/')
    const finding = { benchmark: name, measured: `failed: ${reason.slice(0, 200)}`, target: '', met: false }
    failed.push(name)
    return { findings: [finding], notes: [], wrong: [] }
  }
}
try {
  for (const name of names) {
    say(`\n${name} (${Math.round((performance.now() - began) / 1000)} s)`)
    const findings = await measure(name)
    for (const { benchmark, measured, target, met } of findings.findings)
      say(`  ${met === null ? '      ' : met ? 'met   ' : 'missed'} ${benchmark}: ${measured} ${target && `(${target})`}`)
    for (const wrong of findings.wrong) say(`  WRONG  ${wrong}`)
    found.push({ name, ...findings })
  }
} catch (error) {
  if (skipped.length === 0) throw error
} finally {
  clearTimeout(timeout)
  stopEverything()
  await databases.drop()
  await rm(folder, { recursive: true, force: true })
}

const wrong = found.flatMap((findings) => findings.wrong)
if (!values.quick && !values.only) await writeFile(join(root, 'docs/benchmarks.md'), report())
if (failed.length > 0) say(`These benchmarks failed: ${failed.join(', ')}.`)
if (wrong.length > 0) say(`${wrong.length} answers were wrong.`)
if (failed.length + wrong.length > 0) process.exit(1)
process.exit(0)

function report(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const dirty = git('status', '--porcelain', '--', 'packages', 'apps', 'bench') === '' ? '' : ', with uncommitted changes'
  const [processor] = cpus()
  return `# Benchmarks

Written by \`npm run bench\` at commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${processor?.model}, Node ${process.versions.node},
with the load generator, PostgreSQL and all servers on that machine. Floorpass and better-auth 1.7.6 (database joins on) run as one process each. Each has
a database with 100,000 users and 300,000 sessions on the same PostgreSQL. The contenders take turns in 3 rounds. Figures are medians of the rounds, and
ratios are within this run. Every answer was checked; ${wrong.length === 0 ? 'none was wrong' : `${wrong.length} were wrong`}.

## Targets

| Benchmark | Measured | Target | |
|---|---|---|---|
${found
  .flatMap(({ findings }) => findings)
  .map(
    ({ benchmark, measured, target, met }) =>
      `| ${benchmark} | ${measured} | ${target} | ${met === null ? '' : met ? 'met' : '**not met**'} |`,
  )
  .join('\n')}
${skipped.length > 0 ? `\nSkipped, because the benchmarks end after a quarter of an hour: ${skipped.join(', ')}.\n` : ''}
ADR 012, 022, 024 to 027 and 050 in [decisions](decisions) explain where the time goes and what each change gained.

## Figures

Latency is in milliseconds at the client. Processor time is the server's. The generator's share is of one core.

| Benchmark | Contender | per second | p50 ms | p99 ms | server µs per answer | generator |
|---|---|---|---|---|---|---|
${found.flatMap(({ notes }) => notes).join('\n')}
`
}
