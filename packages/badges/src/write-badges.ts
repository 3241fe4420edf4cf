import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { badgeLine, badgeOf, type Tally } from './badge.ts'
import { isCheckOf, isTestOf } from './match.ts'
import type { Monitor, MonitorCheck } from './monitor.ts'
import { ToolError } from './problem.ts'
import { readReports, type TestResult } from './read-reports.ts'
import { replaceBadges } from './statut-section.ts'

export type Written = { spec: string; frontend: string; backend: string; changed: boolean }

/** Writes the badges of every `docs/specs/*.md`. Throws a ToolError before any file changes. Spec: Test-badge tooling. */
export async function writeBadges(root: string, monitor: Monitor | null): Promise<Written[]> {
  const tests = readReports(root)
  const checks = monitor ? await readCheckResults(monitor) : []
  const folder = join(root, 'docs/specs')
  const specs = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
  const pages = specs.map((name) => {
    const spec = basename(name, '.md')
    const file = join(folder, name)
    const before = readFileSync(file, 'utf8')
    const frontend = badgeOf(tally(checks.filter((check) => isCheckOf(spec, check.name))))
    const backend = badgeOf(tally(tests.filter((test) => belongsTo(spec, test))))
    const after = replaceBadges(before, [badgeLine('Frontend', frontend), badgeLine('Backend', backend)])
    return {
      file,
      before,
      after,
      written: { spec, frontend: frontend.message, backend: backend.message, changed: before !== after },
    }
  })
  const broken = pages.filter(({ after }) => after === null)
  if (broken.length > 0) {
    throw new ToolError(
      ...broken.map(({ written }) => ({
        what: `The badges of docs/specs/${written.spec}.md cannot be replaced.`,
        why: 'Its section "Statut des Tests" has a begin mark without an end mark, or more than one pair.',
        fix: 'Remove the marks (<!-- badges:… -->) from the section and run the same command again.',
      })),
    )
  }
  for (const { file, before, after } of pages) if (after !== null && after !== before) replaceFile(file, after)
  return pages.map(({ written }) => written)
}

async function readCheckResults(monitor: Monitor): Promise<{ name: string; passed: boolean }[]> {
  const [checks, results] = [await monitor.checks(), await monitor.results()]
  const hasResult = ({ id, activated }: MonitorCheck) => activated && results.has(id)
  return checks.filter(hasResult).map(({ id, name }) => ({ name, passed: results.get(id) === true }))
}

/** A report named after a specification belongs to it, whichever tests it contains. */
const belongsTo = (name: string, { spec, path }: TestResult): boolean => (spec === null ? isTestOf(name, path) : spec === name)

const tally = (results: readonly { passed: boolean }[]): Tally => {
  const passed = results.filter((result) => result.passed).length
  return { passed, failed: results.length - passed }
}

/** Replaces the file atomically, so that an interrupted run leaves the old file or the new one. */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, text)
  renameSync(draft, file)
}
