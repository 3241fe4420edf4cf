import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Mutant } from './mutants.ts'

/** What one test file reaches: while it loads, in its hooks, and in each test by id. */
export type CoverageReport = { file: string; load: string[]; hooks: string[]; tests: Record<string, string[]> }

/** `ids` null: every test of the file. */
export type Selection = { file: string; ids: string[] | null }

/** `loads`: the mutant runs while its module loads. */
export type Coverage = { selections: Selection[]; loads: boolean }

/** The tests of a file that pass without a mutant. `failing`: the ids of those that do not, by file. */
export type Passing = (file: string) => Selection

export function readCoverage(
  root: string,
  folder: string,
  mutants: Mutant[],
  failing: Map<string, string[]>,
): { coverage: Map<string, Coverage>; passing: Passing } {
  const reports: CoverageReport[] = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .map((report) => {
      const file = relative(root, report.file)
      const passes = ([id]: [string, unknown]) => !failing.get(file)?.includes(id)
      return { ...report, file, tests: Object.fromEntries(Object.entries(report.tests).filter(passes)) }
    })
  const passing: Passing = (file) => ({
    file,
    ids: failing.has(file) ? Object.keys(reports.find((report) => report.file === file)?.tests ?? {}) : null,
  })
  const loaded = new Set(reports.flatMap(({ load }) => load))
  const byFile = reports.map(({ file, hooks, tests }) => {
    const idsOf = new Map<string, string[]>()
    for (const [id, hit] of Object.entries(tests)) for (const one of hit) idsOf.set(one, [...(idsOf.get(one) ?? []), id])
    return { file, inHooks: new Set(hooks), idsOf }
  })
  const modules = new Map(byFile.map(({ file, inHooks, idsOf }) => [file, new Set([...inHooks, ...idsOf.keys()])]))
  const selectionsOf = ({ id, file: source }: Mutant): Selection[] => {
    // Files share a process, so only the first one loads a module: its constants concern every file that runs its code.
    const neighbours = loaded.has(id) ? mutants.filter(({ file }) => file === source).map((mutant) => mutant.id) : []
    const reached = byFile.flatMap(({ file, inHooks, idsOf }): Selection[] => {
      if (inHooks.has(id) || neighbours.some((one) => modules.get(file)?.has(one))) return [passing(file)]
      const ids = idsOf.get(id)
      return ids ? [{ file, ids }] : []
    })
    return reached.length === 0 && loaded.has(id) ? reports.map(({ file }) => passing(file)) : reached
  }
  const coverage = new Map(
    mutants.map((mutant) => [mutant.id, { selections: selectionsOf(mutant), loads: loaded.has(mutant.id) }]),
  )
  return { coverage, passing }
}
