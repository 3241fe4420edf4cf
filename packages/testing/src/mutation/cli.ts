import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeLeftFolders } from '../run-folder.ts'
import { readCoverage, type Selection } from './coverage.ts'
import { dropDatabases } from './drop-databases.ts'
import { instrument, type Mutant, sample } from './mutants.ts'
import { describe, isLeft, type Result, summarize } from './report.ts'
import { createScratchClone } from './scratch-clone.ts'
import { type Lane, startLane } from './start-lane.ts'
import { allFolders, findFolder, findSources, findTests, nightlyFolder, tables, testMap } from './test-map.ts'

const usage = `Usage: npm run mutate -- <folder> | --nightly | --sample-of-all <count>
Changes the code of a folder in one place at a time, in a scratch clone, and reports the changes that no test notices.
  --sample <n>         at most this many mutants (100)
  --seed <n>           draws the same mutants again
  --minutes <n>        starts no mutant after this time (15; --sample-of-all: 240)
  --each <n>           tests a mutant for this many minutes, then counts it as not noticed (5)
  --nightly            the folder of this day
  --sample-of-all <n>  a sample over ${allFolders.join(', ')}, against every test file
Folders: ${Object.keys(testMap).join(', ')}`

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(randomBytes(2).readUInt16BE()) },
    minutes: { type: 'string' },
    each: { type: 'string', default: '5' },
    nightly: { type: 'boolean', default: false },
    'sample-of-all': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const everything = given['sample-of-all']
const folder = given.nightly ? nightlyFolder(new Date()) : findFolder(positionals[0] ?? '')
const numbers = [everything ?? given.sample, given.seed, given.minutes ?? (everything ? '240' : '15'), given.each].map(Number)
const [count, seed, minutes, each] = numbers as [number, number, number, number]
const isValid = numbers.every((value) => Number.isSafeInteger(value) && Number(value) >= 0)
if (given.help || !isValid || (everything === undefined && !folder)) {
  console.error(usage)
  process.exit(given.help ? 0 : 2)
}

const root = process.cwd()
const startedAt = Date.now()
const runId = randomBytes(4).toString('hex')
const clone = createScratchClone(root)
const lanes = [startLane(clone.folder, runId), startLane(clone.folder, runId)]
const cleanUp = async () => {
  await dropDatabases(runId).catch((error: Error) => console.error(`databases of run ${runId} left: ${error.message}`))
  clone.remove()
  removeLeftFolders()
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, async () => {
    await Promise.all(lanes.map((lane) => lane.end()))
    await cleanUp()
    process.exit(code)
  })
}

try {
  await mutate()
} finally {
  await Promise.all(lanes.map((lane) => lane.stop()))
  await cleanUp()
}

async function mutate(): Promise<void> {
  const name = everything ? 'all' : (folder as string)
  const all = await instrument(clone.folder, findSources(clone.folder, everything ? allFolders : [name]))
  const drawn = sample(all, count, seed)
  const tests = findTests(clone.folder, everything ? undefined : [...(testMap[name] ?? []), ...tables])
  console.log(`${name}: ${drawn.length} of ${all.length} mutants, seed ${seed}, ${tests.length} test files`)

  const coverageFolder = join(clone.folder, 'mutation-coverage')
  mkdirSync(coverageFolder)
  const halves = [tests.filter((_, index) => index % 2 === 0), tests.filter((_, index) => index % 2 === 1)]
  const dryRuns = await Promise.all(
    lanes.map((lane, index) =>
      lane.run({ mutant: '', coverageFolder, selections: (halves[index] ?? []).map(wholeFile), ownProcess: true }, 10 * 60_000),
    ),
  )
  if (dryRuns.includes('timeout')) throw new Error('the tests without a mutant did not end')
  const files = dryRuns.flatMap((run) => (run === 'timeout' ? [] : run.files))
  const runs = files.filter(({ failed, failedIds }) => !failed || failedIds.length > 0)
  const failing = new Map(runs.filter(({ failed }) => failed).map(({ file, failedIds }) => [file, failedIds]))
  for (const { file } of files.filter((one) => !runs.includes(one)))
    console.log(`left out, since it fails without a mutant: ${file}`)
  for (const [file, ids] of failing) console.log(`left out, since they fail without a mutant: ${ids.length} tests of ${file}`)
  const durations = new Map(runs.map(({ file, ms }) => [file, ms]))
  if (durations.size === 0) throw new Error('no test file passes without a mutant')
  console.log(`tests without a mutant: ${Math.round((Date.now() - startedAt) / 1000)} s`)

  const { coverage, passing } = readCoverage(clone.folder, coverageFolder, all, failing)
  const kills = new Map<string, number>()
  /** Kills to expect for each second. */
  const worth = (mutant: Mutant, { file, share, runsMutant }: Selection) =>
    ((runsMutant ? 100 : 1) * (1 + (kills.get(file) ?? 0) + likeness(mutant.file, file))) /
    Math.max(500, (durations.get(file) ?? 0) * share)
  const deadline = startedAt + minutes * 60_000
  const results: Result[] = []
  const loads = ({ id }: Mutant) => coverage.get(id)?.loads ?? false
  // Those that need their own process come last, so that the others share one.
  const queue = [...drawn.filter((mutant) => !loads(mutant)), ...drawn.filter(loads)]
  const trusted = new Set<string>()
  /** Whether the test that killed a mutant passes without one: alone, and in the process that the mutant leaves. */
  const passesWithoutMutant = async (killedBy: Selection, lane: Lane) => {
    const key = JSON.stringify(killedBy)
    if (trusted.has(key) || !durations.has(killedBy.file)) return true
    const outcome = await lane.run({ mutant: '', coverageFolder: '', selections: [killedBy], ownProcess: false }, 120_000)
    if (outcome === 'timeout' || outcome.killedBy) return false
    trusted.add(key)
    return true
  }
  const runMutant = async (mutant: Mutant, lane: Lane, isRepeated = false): Promise<Result> => {
    const reached = (coverage.get(mutant.id)?.selections ?? []).filter(
      ({ file, ids }) => durations.has(file) && ids?.length !== 0,
    )
    const selections = reached
      .sort((a, b) => worth(mutant, b) - worth(mutant, a))
      .map((selection) => (isRepeated ? passing(selection.file) : selection))
    if (selections.length === 0) return { ...mutant, status: 'no coverage', killedBy: null }
    if (Date.now() > deadline) return { ...mutant, status: 'not run', killedBy: null }
    const longest = Math.max(...selections.map(({ file }) => durations.get(file) ?? 0))
    const ownProcess = isRepeated || loads(mutant)
    const outcome = await lane.run(
      { mutant: mutant.id, coverageFolder: '', selections, ownProcess, limitMs: each * 60_000 },
      90_000 + 3 * longest,
    )
    if (outcome === 'timeout') return { ...mutant, status: 'timed out', killedBy: null }
    const { killedBy, isComplete } = outcome
    if (!killedBy) return { ...mutant, status: isComplete ? 'survived' : 'not decided', killedBy: null }
    if (!ownProcess && !(await passesWithoutMutant(killedBy, lane))) return runMutant(mutant, lane, true)
    kills.set(killedBy.file, (kills.get(killedBy.file) ?? 0) + 1)
    return { ...mutant, status: 'killed', killedBy: killedBy.file }
  }
  const work = async (lane: Lane) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const result = await runMutant(mutant, lane)
      results.push(result)
      if (isLeft(result)) console.log(describe(result))
      if (results.length % 10 > 0) continue
      trusted.clear()
      console.log(`${results.length} mutants, ${Math.round((Date.now() - startedAt) / 1000)} s`)
    }
  }
  await Promise.all(lanes.map(work))

  console.log(summarize(results))
  const reports = join(root, 'reports', 'mutation')
  mkdirSync(reports, { recursive: true })
  writeFileSync(join(reports, `${name.replaceAll('/', '-')}.json`), JSON.stringify({ name, seed, results }, null, 2))
}

function wholeFile(file: string): Selection {
  return { file, ids: null, share: 1 }
}

/** A test of the same name, or in the folder of the same name, is the likeliest to notice a change. */
function likeness(source: string, test: string): number {
  const [name, testName] = [basename(source, '.ts'), basename(test, '.test.ts')]
  if (testName.includes(name)) return 9
  return basename(dirname(source)) === basename(dirname(test)) ? 3 : 0
}
