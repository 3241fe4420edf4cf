import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

/** The namespace that the instrumented code reads and writes. */
type Switch = {
  activeMutant?: string
  currentTestId?: string
  hitCount?: number
  hitLimit?: number
  mutantCoverage?: { perTest: Record<string, Record<string, number>> }
}

const shared = globalThis as { __stryker__?: Switch }
shared.__stryker__ ??= {}
const mutation = shared.__stryker__
const mutant = process.env.MUTANT
if (mutant) Object.assign(mutation, { activeMutant: mutant, hitCount: 0, hitLimit: 1_000_000 })

const coverageFolder = process.env.MUTATION_COVERAGE
if (coverageFolder) {
  mutation.currentTestId = 'load'
  beforeAll(() => {
    mutation.currentTestId = 'run'
  })
  afterAll(() => {
    const { load = {}, run = {} } = mutation.mutantCoverage?.perTest ?? {}
    if (mutation.mutantCoverage) mutation.mutantCoverage.perTest = {}
    const file = expect.getState().testPath ?? ''
    const report = { file, load: Object.keys(load), run: Object.keys(run) }
    writeFileSync(join(coverageFolder, `${file.replaceAll(/\W/g, '_')}.json`), JSON.stringify(report))
  })
}
