// A process that runs test files against one mutant at a time. Started in the scratch clone by start-lane.ts.
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import { common } from '../../../../vitest.config.ts'
import type { Selection } from './coverage.ts'
import { createResidentPool } from './resident-pool.ts'

/** `ownProcess`: for a mutant of code that runs once, while its module loads. */
export type Order = { mutant: string; coverageFolder: string; selections: Selection[]; ownProcess: boolean }
/** `killedBy`: the first test that failed, or its file alone when loading it failed. `failedIds` is then empty. */
export type Outcome = { killedBy: Selection | null; files: { file: string; ms: number; failed: boolean; failedIds: string[] }[] }

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

async function run({ mutant, coverageFolder, selections, ownProcess }: Order): Promise<Outcome> {
  if (ownProcess) await restart()
  for (const project of vitest.projects) project.provide('mutation', { mutant, coverageFolder })
  for (const { config } of [vitest, ...vitest.projects]) config.bail = coverageFolder ? 0 : 1
  const specifications = selections.flatMap(({ file, ids }) => {
    const options = ids === null ? {} : { testIds: ids }
    return vitest.projects[0]?.createSpecification(`${root}/${file}`, options) ?? []
  })
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // Vitest returns the modules of earlier runs too, with their old results.
  const modules = selections.flatMap(({ file }) => {
    const module = testModules.find(({ moduleId }) => moduleId === `${root}/${file}`)
    if (!module) return []
    const failedIds = [...module.children.allTests('failed')].map(({ id }) => id)
    return [{ file, module, failed: module.state() === 'failed', failedIds }]
  })
  const files = modules.map(({ module, ...file }) => {
    const { duration, collectDuration } = module.diagnostic()
    return { ...file, ms: duration + collectDuration }
  })
  if (ownProcess) await restart()
  const first = modules.find(({ failed }) => failed)
  if (!first) return { killedBy: unhandledErrors.length > 0 ? { file: 'unhandled error', ids: null } : null, files }
  const ids = first.failedIds.slice(0, 1)
  return { killedBy: { file: first.file, ids: ids.length > 0 ? ids : null }, files }
}

process.on('message', async (order: Order | 'end') => {
  if (order !== 'end') return process.send?.(await run(order))
  await restart()
  await vitest.close()
  process.exit(0)
})
process.send?.('ready')
