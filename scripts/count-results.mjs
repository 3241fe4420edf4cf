// Prints "<passed> <failed>" for a Vitest or Playwright report, then a line for each failed test with the start of its error.
// An unreadable or empty report counts as one failure.
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const [file] = process.argv.slice(2)

const firstLine = (message = '') => stripVTControlCharacters(message).split('\n', 1)[0].slice(0, 300)

const playwrightTests = (suites = []) =>
  suites.flatMap((suite) => [
    ...(suite.specs ?? []).flatMap((spec) => spec.tests.map((test) => ({ ...test, name: `${spec.file}: ${spec.title}` }))),
    ...playwrightTests(suite.suites),
  ])

function countPlaywright({ stats, suites, errors }) {
  const bad = playwrightTests(suites).filter(({ status }) => status === 'unexpected' || status === 'flaky')
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    failures: [
      ...bad.map(({ name, results }) => `${name}: ${firstLine(results.find(({ error }) => error)?.error.message)}`),
      ...errors.map(({ message }) => firstLine(message)),
    ],
  }
}

function countVitest(report) {
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    failures: [
      ...report.testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${firstLine(failureMessages[0])}`),
      ),
      ...brokenFiles.map(({ name, message }) => `${name}: ${firstLine(message)}`),
    ],
  }
}

try {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const { passed, failed, failures } = report.stats ? countPlaywright(report) : countVitest(report)
  if (!Number.isInteger(passed + failed) || passed + failed === 0) throw new Error(`${file} contains no test`)
  console.log(passed, failed)
  for (const failure of failures) console.log(failure.replace(`${process.cwd()}/`, ''))
} catch (error) {
  console.log(0, 1)
  console.log(`No result: ${error.message}`)
}
