import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, loadConfig, readEnvironment } from '@floorpass/env'
import { fetchSmokeReports, writeFailureReport } from './fetch-smoke-reports.ts'
import { createMonitor } from './monitor.ts'
import { ToolError } from './problem.ts'
import { applyChecks, planChecks, type Step } from './push-checks.ts'
import { backendReport } from './read-reports.ts'
import { writeBadges } from './write-badges.ts'

const usage = `Usage: badges <command>
  write                 writes the badges of docs/specs from existing reports
  generate              runs the backend tests, then writes the badges
  smoke <url>           runs the smoke tests of the service and keeps the report
  checks plan <url>     shows what "apply" would change at the monitoring service
  checks apply <url>    makes the monitoring service run features/*.spec.ts against the service`

const workspace = fileURLToPath(new URL('../../../', import.meta.url))
/** The current folder when it has docs/specs, else the workspace. */
const root = existsSync(join(process.cwd(), 'docs/specs')) ? process.cwd() : workspace

/** Loads only what these tools need: the settings of the service may be missing here. */
function loadToolConfig(): Config {
  const { MONITOR_API_KEY, MONITOR_ACCOUNT_ID, MONITOR_API_URL, CI_TEST_SECRET } = readEnvironment()
  return loadConfig({ MONITOR_API_KEY, MONITOR_ACCOUNT_ID, MONITOR_API_URL, CI_TEST_SECRET })
}

async function write(): Promise<number> {
  const { monitor } = loadToolConfig()
  if (!monitor)
    console.log(
      'MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set. No frontend results are known, so those badges show no-tests.',
    )
  if (!existsSync(join(root, backendReport)))
    console.log(`${backendReport} does not exist. Create it with \`npm run test:badges:generate\`.`)
  const written = await writeBadges(root, monitor && createMonitor(monitor))
  for (const { spec, frontend, backend, changed } of written) {
    console.log(`${changed ? 'wrote' : 'kept '} docs/specs/${spec}.md: frontend ${frontend}, backend ${backend}`)
  }
  return 0
}

async function generate(): Promise<number> {
  // An old report must not pass for the report of this run.
  rmSync(join(root, backendReport), { force: true })
  const tests = spawn('vitest', ['run'], { cwd: root, stdio: 'inherit' })
  const [code] = (await once(tests, 'close')) as [number | null]
  if (!existsSync(join(root, backendReport))) {
    throw new ToolError({
      what: 'The backend tests wrote no report.',
      why: 'The test run ended early.',
      fix: 'Read the output above, then run the same command again.',
    })
  }
  return (await write()) || (code ?? 1)
}

async function smoke(target: string | undefined): Promise<number> {
  try {
    const url = parseOrigin(target)
    const { ciTestSecret } = loadToolConfig()
    if (ciTestSecret === null) {
      throw new ToolError({
        what: 'CI_TEST_SECRET is not set.',
        why: 'The service runs its smoke tests only for callers with this secret.',
        fix: 'Set it to the same value as in the service.',
      })
    }
    const { path, success, passed, failed } = await fetchSmokeReports(root, url, ciTestSecret)
    for (const line of failed) console.error(`failed ${line}`)
    console.log(`${passed} passed, ${failed.length} failed: ${path}`)
    return success && failed.length === 0 ? 0 : 1
  } catch (error) {
    // The report is committed, so it may contain only messages written for display.
    const why =
      error instanceof ToolError ? error.problems.map(({ what, why }) => `${what} ${why}`).join(' ') : 'The tool failed.'
    console.error(`Wrote a failure report: ${writeFailureReport(root, why)}`)
    throw error
  }
}

async function checks(isApplied: boolean, url: string): Promise<number> {
  const { monitor: access } = loadToolConfig()
  if (!access) {
    throw new ToolError({
      what: 'The monitoring service is not configured.',
      why: 'MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set.',
      fix: 'Set both, with a key of the account that runs the checks.',
    })
  }
  const monitor = createMonitor(access)
  const steps = await planChecks(root, monitor, url)
  for (const step of steps) console.log(describe(step))
  if (isApplied) {
    await applyChecks(monitor, steps)
    console.log('Done.')
  } else console.log('Nothing was changed. To apply, run `npm run checks:apply -- <url>`.')
  return 0
}

function describe(step: Step): string {
  if (step.do === 'keep') return `= ${step.name} is unchanged`
  if (step.do === 'remove') return `- ${step.name} has no feature file that could pass there`
  if (step.do === 'leave out') return `! ${step.name} is left out: ${step.why}`
  const { name, frequency, locations, tags } = step.check
  const what = step.do === 'create' ? `+ ${name} is new` : `~ ${name} changes: ${step.changes.join(', ')}`
  return `${what} (every ${frequency} min from ${locations.join(', ')}; ${tags.join(', ')})`
}

function parseOrigin(text: string | undefined): string {
  const url = URL.parse(text ?? '')
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw new ToolError({
    what: 'The address of the service is missing.',
    why: text ? 'It is not an http(s) URL.' : 'The command needs one.',
    fix: 'Add it as the last argument, for example: https://accounts.example.com',
  })
}

function run([command, ...rest]: string[]): Promise<number> | number {
  if (command === 'write' && rest.length === 0) return write()
  if (command === 'generate' && rest.length === 0) return generate()
  if (command === 'smoke' && rest.length <= 1) return smoke(rest[0])
  if (command === 'checks' && (rest[0] === 'plan' || rest[0] === 'apply') && rest.length <= 2)
    return checks(rest[0] === 'apply', parseOrigin(rest[1]))
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
