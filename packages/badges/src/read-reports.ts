import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { z } from 'zod'
import { type Problem, ToolError } from './problem.ts'

export type TestResult = {
  /** The test file, relative to the root when it is below it. */
  path: string
  /** The specification that the whole report belongs to. Null in the report of all backend tests. */
  spec: string | null
  passed: boolean
}

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

export const backendReport = 'reports/vitest/results.json'
export const smokeReports = 'docs/reports/vitest/specs'

/** Reads passed and failed tests from all reports. Missing reports count as empty. Throws a ToolError for an unreadable one. */
export function readReports(root: string): TestResult[] {
  const folder = join(root, smokeReports)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  const files = [
    { path: backendReport, spec: null },
    ...names.sort().map((name) => ({ path: `${smokeReports}/${name}`, spec: basename(name, '.json') })),
  ].filter(({ path }) => existsSync(join(root, path)))
  const problems: Problem[] = []
  const results = files.flatMap(({ path, spec }) => {
    const parsed = report.safeParse(parseJson(readFileSync(join(root, path), 'utf8')))
    if (parsed.success) return parsed.data.testResults.flatMap((file) => toTestResults(root, spec, file))
    problems.push({
      what: `${path} cannot be read.`,
      why: 'It is not a complete report of Vitest’s JSON reporter.',
      fix:
        spec === null
          ? 'Run `npm run test:badges:generate`.'
          : 'Restore it from git, or delete it until the next deployment writes it.',
    })
    return []
  })
  if (problems.length > 0) throw new ToolError(...problems)
  return results
}

function toTestResults(root: string, spec: string | null, file: z.infer<typeof report>['testResults'][number]): TestResult[] {
  const within = relative(root, file.name)
  const path = within.startsWith('..') ? file.name : within
  const done = file.assertionResults.filter(({ status }) => status === 'passed' || status === 'failed')
  const results = done.map(({ status }) => ({ path, spec, passed: status === 'passed' }))
  // A failed file without a failed test did not run.
  const isBroken = file.status === 'failed' && !results.some(({ passed }) => !passed)
  return isBroken ? [...results, { path, spec, passed: false }] : results
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
