import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, loadConfig, readEnvironment } from '@floorpass/env'
import { fetchSmokeReports, reportNoRun } from './fetch-smoke-reports.ts'
import { createMonitor } from './monitor.ts'
import { ToolError } from './problem.ts'
import { applyChecks, planChecks, type Step } from './push-checks.ts'
import { backendReport } from './read-reports.ts'
import { writeBadges } from './write-badges.ts'

const usage = `Usage: badges <command>
  write                 writes the badges of docs/specs from the reports that exist
  generate              runs the backend tests, then writes the badges
  smoke <url>           has the service there run its smoke tests, and keeps the report
  checks plan <url>     says what "apply" would change at the monitoring service
  checks apply <url>    makes the monitoring service run features/*.spec.ts against the service there`

const workspace = fileURLToPath(new URL('../../../', import.meta.url))
/** The workspace's own files, or those of the folder that holds a docs/specs of its own. */
const root = existsSync(join(process.cwd(), 'docs/specs')) ? process.cwd() : workspace

/** Only what these tools need: a setting of the service that is missing here is none of their business. */
function loadOwnConfig(): Config {
  const { MONITOR_API_KEY, MONITOR_ACCOUNT_ID, MONITOR_API_URL, CI_TEST_SECRET } = readEnvironment()
  return loadConfig({ MONITOR_API_KEY, MONITOR_ACCOUNT_ID, MONITOR_API_URL, CI_TEST_SECRET })
}

async function write(): Promise<number> {
  const { monitor } = loadOwnConfig()
  if (!monitor)
    console.log(
      'MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set: no frontend test is known, so those badges say no-tests.',
    )
  if (!existsSync(join(root, backendReport)))
    console.log(`${backendReport} is not there: run \`npm run test:badges:generate\` to make it.`)
  const written = await writeBadges(root, monitor && createMonitor(monitor))
  for (const { spec, frontend, backend, changed } of written) {
    console.log(`${changed ? 'wrote' : 'kept '} docs/specs/${spec}.md: frontend ${frontend}, backend ${backend}`)
  }
  return 0
}

async function generate(): Promise<number> {
  // A report of an earlier run must not stand in for one that this run fails to write.
  rmSync(join(root, backendReport), { force: true })
  const tests = spawn('vitest', ['run'], { cwd: root, stdio: 'inherit' })
  const [code] = (await once(tests, 'close')) as [number | null]
  if (!existsSync(join(root, backendReport))) {
    throw new ToolError({
      what: 'The backend tests left no report.',
      why: 'The test run ended before it could write one.',
      fix: 'See the lines above, and run the same command again.',
    })
  }
  return (await write()) || (code ?? 1)
}

async function smoke(target: string | undefined): Promise<number> {
  try {
    const url = originOf(target)
    const { ciTestSecret } = loadOwnConfig()
    if (ciTestSecret === null) {
      throw new ToolError({
        what: 'CI_TEST_SECRET is not set.',
        why: 'The service lets nobody else in.',
        fix: 'Set it to the value that the service has.',
      })
    }
    const { path, success, passed, failed } = await fetchSmokeReports(root, url, ciTestSecret)
    for (const line of failed) console.error(`failed ${line}`)
    console.log(`${passed} passed, ${failed.length} failed: ${path}`)
    return success && failed.length === 0 ? 0 : 1
  } catch (error) {
    // Only what is written to be shown: the report is committed.
    const why =
      error instanceof ToolError ? error.problems.map(({ what, why }) => `${what} ${why}`).join(' ') : 'The tool failed.'
    console.error(`The report says that there was no run: ${reportNoRun(root, why)}`)
    throw error
  }
}

async function checks(isApplied: boolean, url: string): Promise<number> {
  const { monitor: access } = loadOwnConfig()
  if (!access) {
    throw new ToolError({
      what: 'The monitoring service is not configured.',
      why: 'MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set.',
      fix: 'Set them to a key of the account that shall run the checks.',
    })
  }
  const monitor = createMonitor(access)
  const steps = await planChecks(root, monitor, url)
  for (const step of steps) console.log(describe(step))
  if (isApplied) {
    await applyChecks(monitor, steps)
    console.log('Done.')
  } else console.log('Nothing was changed: `npm run checks:apply -- <url>` does it.')
  return 0
}

function describe(step: Step): string {
  if (step.do === 'keep') return `= ${step.name} stays as it is`
  if (step.do === 'remove') return `- ${step.name} has no feature file that could pass there`
  if (step.do === 'leave out') return `! ${step.name} is left out: ${step.why}`
  const { name, frequency, locations, tags } = step.check
  const what = step.do === 'create' ? `+ ${name} is new` : `~ ${name} changes: ${step.changes.join(', ')}`
  return `${what} (every ${frequency} min from ${locations.join(', ')}; ${tags.join(', ')})`
}

function originOf(text: string | undefined): string {
  const url = URL.parse(text ?? '')
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw new ToolError({
    what: 'The address of the service is missing.',
    why: text ? 'It is no http(s) URL.' : 'The command needs one.',
    fix: 'Put it at the end, for example: https://accounts.example.com',
  })
}

function run([command, ...rest]: string[]): Promise<number> | number {
  if (command === 'write' && rest.length === 0) return write()
  if (command === 'generate' && rest.length === 0) return generate()
  if (command === 'smoke' && rest.length <= 1) return smoke(rest[0])
  if (command === 'checks' && (rest[0] === 'plan' || rest[0] === 'apply') && rest.length <= 2)
    return checks(rest[0] === 'apply', originOf(rest[1]))
  console.error(usage)
  return 2
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ToolError || error instanceof ConfigError)) throw error
  console.error(`\n${error.message}\n`)
  process.exitCode = 1
}
