import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Mutant } from './mutants.ts'

/** What one test file reaches: while it loads, in its hooks, and in each test by id. */
export type CoverageReport = { file: string; load: string[]; hooks: string[]; tests: Record<string, string[]> }

/** `ids` null: every test of the file. `share`: of its tests. `runsMutant`: its tests or hooks run the changed code. */
export type Selection = { file: string; ids: string[] | null; share: number; runsMutant?: boolean }

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
    share: 1,
    ids: failing.has(file) ? Object.keys(reports.find((report) => report.file === file)?.tests ?? {}) : null,
  })
  const loaded = new Set(reports.flatMap(({ load }) => load))
  const byFile = reports.map(({ file, load, hooks, tests }) => {
    const count = Object.keys(tests).length
    const idsOf = new Map<string, string[]>()
    for (const [id, hit] of Object.entries(tests)) for (const one of hit) idsOf.set(one, [...(idsOf.get(one) ?? []), id])
    return {
      file,
      count,
      idsOf,
      inHooks: new Set(hooks),
      whileLoading: new Set(load),
      later: new Set([...hooks, ...idsOf.keys()]),
    }
  })
  const reachedSources = new Set(
    mutants.filter(({ id }) => loaded.has(id) || byFile.some(({ later }) => later.has(id))).map(({ file }) => file),
  )
  const selectionsOf = ({ id, file: source }: Mutant): Selection[] => {
    // Another process runs it and reports nothing.
    if (!reachedSources.has(source))
      return reports.filter(({ file }) => folderOf(file) === folderOf(source)).map(({ file }) => passing(file))
    // Files share a process, so only the first one loads a module: its constants concern every file that runs its code.
    const neighbours = loaded.has(id) ? mutants.filter(({ file }) => file === source).map((mutant) => mutant.id) : []
    const concerns = (ids: Set<string>) => neighbours.some((one) => ids.has(one))
    const reached = byFile.flatMap(({ file, count, idsOf, inHooks, later }): Selection[] => {
      const ids = idsOf.get(id)
      const runsMutant = inHooks.has(id) || ids !== undefined
      if (inHooks.has(id) || concerns(later)) return [{ ...passing(file), runsMutant }]
      return ids ? [{ file, ids, share: ids.length / count, runsMutant }] : []
    })
    if (!loaded.has(id)) return reached
    if (reached.length === 0) return reports.map(({ file }) => passing(file))
    // A test file may call the service while it loads.
    const callers = byFile.filter(({ whileLoading, later }) => concerns(whileLoading) && !concerns(later))
    return [...reached, ...callers.map(({ file }) => passing(file))]
  }
  const coverage = new Map(
    mutants.map((mutant) => [mutant.id, { selections: selectionsOf(mutant), loads: loaded.has(mutant.id) }]),
  )
  return { coverage, passing }
}

const folderOf = (file: string): string => basename(dirname(file))
