import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Mutant } from './mutants.ts'

/** The test files that reach each mutant. */
export function readCoverage(root: string, folder: string, mutants: Mutant[]): Map<string, string[]> {
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const running = new Map<string, Set<string>>()
  const loaded = new Set<string>(reports.flatMap(({ load }) => load))
  const add = (key: string, file: string) => running.set(key, (running.get(key) ?? new Set()).add(file))
  const source = new Map(mutants.map(({ id, file }) => [id, file]))
  for (const { file, run } of reports) {
    for (const id of run) {
      add(id, relative(root, file))
      add(source.get(id) ?? '', relative(root, file))
    }
  }
  // Files share a process, so only the first one loads a module: its constants concern every file that runs its code.
  const all = reports.map(({ file }) => relative(root, file))
  const filesOf = ({ id, file }: Mutant) => running.get(id) ?? (loaded.has(id) ? (running.get(file) ?? all) : [])
  return new Map(mutants.map((mutant) => [mutant.id, [...filesOf(mutant)]]))
}
