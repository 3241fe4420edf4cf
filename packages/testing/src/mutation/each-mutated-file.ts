import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest'
import type { CoverageReport } from './coverage.ts'
import { activeMutants } from './scratch-clone.ts'

declare module 'vitest' {
  interface ProvidedContext {
    mutation: { mutant: string; coverageFolder: string }
  }
}

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
const { mutant, coverageFolder } = inject('mutation')
Object.assign(mutation, { activeMutant: mutant, hitCount: 0, hitLimit: 1_000_000 })
mkdirSync(activeMutants(process.cwd()), { recursive: true })
writeFileSync(join(activeMutants(process.cwd()), String(process.pid)), mutant)

if (coverageFolder) {
  mutation.currentTestId = 'load'
  beforeAll(() => {
    mutation.currentTestId = 'hooks'
  })
  beforeEach(({ task }) => {
    mutation.currentTestId = task.id
  })
  afterEach(() => {
    mutation.currentTestId = 'hooks'
  })
  afterAll(() => {
    const { load = {}, hooks = {}, ...tests } = mutation.mutantCoverage?.perTest ?? {}
    if (mutation.mutantCoverage) mutation.mutantCoverage.perTest = {}
    const file = expect.getState().testPath ?? ''
    const hits = Object.fromEntries(Object.entries(tests).map(([id, mutants]) => [id, Object.keys(mutants)]))
    const report: CoverageReport = { file, load: Object.keys(load), hooks: Object.keys(hooks), tests: hits }
    writeFileSync(join(coverageFolder, `${file.replaceAll(/\W/g, '_')}.json`), JSON.stringify(report))
  })
}
