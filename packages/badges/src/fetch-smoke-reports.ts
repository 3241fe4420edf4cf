import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { ToolError } from './problem.ts'
import { smokeReports } from './read-reports.ts'

const suites = ['check-exchanges', 'check-database', 'check-mail', 'check-auth']
const spec = 'smoke-tests'

const counts = {
  numTotalTestSuites: z.number(),
  numPassedTestSuites: z.number(),
  numFailedTestSuites: z.number(),
  numPendingTestSuites: z.number(),
  numTotalTests: z.number(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
}
const report = z.object({
  ...counts,
  startTime: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }).loose(),
      ),
    }),
  ),
})
type Report = z.infer<typeof report>

const countNames = Object.keys(counts) as (keyof typeof counts)[]
const attempts = 5
/** A smoke test run takes up to 20 seconds. */
const timeoutMilliseconds = 25_000

export type SmokeRun = { path: string; success: boolean; passed: number; failed: string[] }

/** Runs the smoke tests of a service and writes their report. Throws a ToolError when the service gives none. */
export async function fetchSmokeReports(root: string, baseUrl: string, secret: string): Promise<SmokeRun> {
  const reports: Report[] = []
  for (const suite of suites) reports.push(await fetchReport(new URL(`/tests/${suite}`, baseUrl), secret))
  const sums = Object.fromEntries(countNames.map((name) => [name, reports.reduce((sum, one) => sum + one[name], 0)])) as Record<
    keyof typeof counts,
    number
  >
  const merged = {
    ...sums,
    startTime: Math.min(...reports.map(({ startTime }) => startTime)),
    success: reports.every(({ success }) => success),
    testResults: reports.flatMap(({ testResults }) => testResults),
  }
  const path = writeReport(root, merged)
  const failed = merged.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${name}${fullName}: ${failureMessages.join(' ')}`),
  )
  return { path, success: merged.success, passed: reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0), failed }
}

/** Replaces the last report with one failure, so that an old green report does not stay. Returns its path. */
export function writeFailureReport(root: string, why: string): string {
  const now = Date.now()
  const failed = { numTotalTestSuites: 1, numFailedTestSuites: 1, numTotalTests: 1, numFailedTests: 1 }
  const title = 'the service reports its smoke tests'
  const test = { ancestorTitles: [''], fullName: ` ${title}`, title, status: 'failed', failureMessages: [why] }
  return writeReport(root, {
    ...(Object.fromEntries(countNames.map((name) => [name, 0])) as Record<keyof typeof counts, number>),
    ...failed,
    startTime: now,
    success: false,
    testResults: [{ name: '/tests', status: 'failed', message: why, startTime: now, endTime: now, assertionResults: [test] }],
  })
}

function writeReport(root: string, content: Report): string {
  const path = `${smokeReports}/${spec}.json`
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`)
  return path
}

/** Fetches one report. Retries while the service starts, is overloaded or limits requests. */
async function fetchReport(url: URL, secret: string): Promise<Report> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${secret}` },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    }).catch((error: unknown) => (error instanceof Error ? error : new Error('unknown')))
    if (response instanceof Response && response.ok) {
      const parsed = report.safeParse(await response.json().catch(() => undefined))
      if (parsed.success) return parsed.data
      throw noReportError(url, 'The answer is not a report.', 'Check that this is the address of the service.')
    }
    const isTemporary = response instanceof Error || response.status === 429 || response.status >= 500
    if (!isTemporary || attempt === attempts) {
      if (response instanceof Error) {
        const why = response.cause instanceof Error ? response.cause.message : response.message
        throw noReportError(url, `It cannot be reached: ${why}.`, 'Check the address, and that the service runs.')
      }
      if (response.status === 401)
        throw noReportError(
          url,
          'It refuses the secret.',
          'Set CI_TEST_SECRET to the same value in the pipeline and in the service.',
        )
      throw noReportError(url, `It answered ${response.status}.`, 'Read the log of the service.')
    }
    const asked = response instanceof Response ? Number(response.headers.get('retry-after')) : 0
    await delay(asked > 0 ? Math.min(asked, 60) * 1000 : 500 * attempt)
  }
}

const noReportError = (url: URL, why: string, fix: string): ToolError =>
  new ToolError({ what: `No report came from ${url.href}.`, why, fix })
