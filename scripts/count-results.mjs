// Prints "<passed> <failed>" for a Vitest or Playwright report. An unreadable or empty report counts as one failure.
import { readFileSync } from 'node:fs'

const [file] = process.argv.slice(2)

function count(report) {
  if (report.stats) {
    const { expected, unexpected, flaky } = report.stats
    return [expected, unexpected + flaky + report.errors.length]
  }
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  return [report.numPassedTests, report.numFailedTests + brokenFiles.length]
}

try {
  const [passed, failed] = count(JSON.parse(readFileSync(file, 'utf8')))
  if (!Number.isInteger(passed + failed) || passed + failed === 0) throw new Error(`${file} contains no test`)
  console.log(passed, failed)
} catch (error) {
  console.error(`No result: ${error.message}`)
  console.log(0, 1)
}
