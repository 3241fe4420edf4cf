// A process that runs test files against one mutant at a time. Started in the scratch clone by start-lane.ts.
import { relative } from 'node:path'
import { createVitest } from 'vitest/node'
import { common } from '../../../../vitest.config.ts'

export type Order = { mutant: string; coverageFolder: string; files: string[] }
export type Outcome = { killedBy: string | null; files: { file: string; ms: number; failed: boolean }[] }

const root = process.cwd()
const vitest = await createVitest(
  'test',
  { config: false, root, watch: false, reporters: [{}], bail: 1, silent: true },
  {
    test: {
      ...common,
      maxWorkers: 1,
      isolate: false,
      include: ['packages/functions/src/tests/**/*.test.ts'],
      setupFiles: [common.setupFiles, 'packages/testing/src/mutation/each-mutated-file.ts'],
      globalSetup: ['packages/testing/src/global-setup.ts'],
    },
  },
)
await vitest.standalone()

async function run({ mutant, coverageFolder, files }: Order): Promise<Outcome> {
  process.env.MUTANT = mutant
  process.env.MUTATION_COVERAGE = coverageFolder
  for (const { config } of [vitest, ...vitest.projects]) config.bail = coverageFolder ? 0 : 1
  const specifications = files.map((file) => vitest.projects[0]?.createSpecification(`${root}/${file}`)).filter((one) => !!one)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // Vitest returns the modules of earlier runs too, with their old results.
  const ofThisRun = testModules.filter(({ moduleId }) => files.includes(relative(root, moduleId)))
  const results = ofThisRun.map((module) => ({
    file: relative(root, module.moduleId),
    ms: module.diagnostic().duration + module.diagnostic().collectDuration,
    failed: module.state() === 'failed',
  }))
  const failed = results.find((result) => result.failed)?.file
  return { killedBy: failed ?? (unhandledErrors.length > 0 ? 'unhandled error' : null), files: results }
}

process.on('message', async (order: Order | 'end') => {
  if (order !== 'end') return process.send?.(await run(order))
  await vitest.close()
  process.exit(0)
})
process.send?.('ready')
