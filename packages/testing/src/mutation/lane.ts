// A process that runs test files against one mutant at a time. Started in the scratch clone by start-lane.ts.
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import { common } from '../../../../vitest.config.ts'
import type { Selection } from './coverage.ts'
import { createResidentPool } from './resident-pool.ts'

/** `ownProcess`: for a mutant of code that runs once, while its module loads. `limitMs`: no file starts after this time. */
export type Order = { mutant: string; coverageFolder: string; selections: Selection[]; ownProcess: boolean; limitMs?: number }
/** `killedBy`: the first test that failed, or its file alone when loading it failed. `failedIds` is then empty. */
export type Outcome = {
  killedBy: Selection | null
  isComplete: boolean
  files: { file: string; ms: number; failed: boolean; failedIds: string[] }[]
}

/** The command line orders the files of a mutant: the likeliest to fail first. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return files
  }
}

const root = process.cwd()
const { pool, restart } = createResidentPool()
const vitest = await createVitest(
  'test',
  {
    config: false,
    root,
    watch: false,
    reporters: [{ onTestModuleEnd: () => void process.send?.('file ended') }],
    bail: 1,
    silent: true,
  },
  {
    test: {
      ...common,
      // A mutant may fill the memory of the machine, and then nothing runs.
      execArgv: [...common.execArgv, '--max-old-space-size=2000'],
      pool,
      maxWorkers: 1,
      isolate: false,
      sequence: { sequencer: InOrder },
      include: ['packages/functions/src/tests/**/*.test.ts'],
      setupFiles: [common.setupFiles, 'packages/testing/src/mutation/each-mutated-file.ts'],
      globalSetup: ['packages/testing/src/global-setup.ts'],
    },
  },
)
await vitest.standalone()

async function run({ mutant, coverageFolder, selections, ownProcess, limitMs = Infinity }: Order): Promise<Outcome> {
  const startedAt = performance.now()
  let isComplete = true
  if (ownProcess) await restart()
  for (const project of vitest.projects) project.provide('mutation', { mutant, coverageFolder })
  for (const { config } of [vitest, ...vitest.projects]) config.bail = coverageFolder ? 0 : 1
  const files: Outcome['files'] = []
  let killedBy: Outcome['killedBy'] = null
  // One file after the other: in a run of many, those after a failure still load, skip their tests and close no database.
  for (const { file, ids } of selections) {
    isComplete = performance.now() - startedAt < limitMs
    if (!isComplete) break
    const options = ids === null ? {} : { testIds: ids }
    const specification = vitest.getRootProject().createSpecification(`${root}/${file}`, options)
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
    // Vitest returns the modules of earlier runs too, with their old results.
    const module = testModules.find(({ moduleId }) => moduleId === `${root}/${file}`)
    if (!module) continue
    const failedIds = [...module.children.allTests('failed')].map(({ id }) => id)
    const failed = module.state() === 'failed'
    const { duration, collectDuration } = module.diagnostic()
    files.push({ file, ms: duration + collectDuration, failed, failedIds })
    if (coverageFolder) continue
    if (failed) killedBy = { file, ids: failedIds.length > 0 ? failedIds.slice(0, 1) : null, share: 1 }
    else if (unhandledErrors.length > 0) killedBy = { file: 'unhandled error', ids: null, share: 1 }
    if (killedBy) break
  }
  if (ownProcess) await restart()
  return { killedBy, isComplete, files }
}

process.on('message', async (order: Order | 'end') => {
  if (order !== 'end') return process.send?.(await run(order))
  await restart()
  await vitest.close()
  process.exit(0)
})
process.send?.('ready')
