// Replaces the running version by a new one without a failed request. See docs/deployment.md.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run deploy -- --proxy <url> [--ports 3001,3002] (--image <reference> --env-file <file> | --process --state <folder>)
  --proxy     the upstreams of the proxy, in Caddy's admin API: http://127.0.0.1:2019/id/floorpass/upstreams
  --ports     the two ports that the versions take turns on
  --image     the container image to run, with the settings of --env-file
  --process   run this checkout instead, as the container would; its settings are the environment
  --state     where --process keeps the process ids and the logs; best a folder that a restart of the machine empties`
const readyWithin = 90_000
/** The service ends on its own within 25 s; a container engine's patience must be longer. */
const stopWithin = 30_000
/** What the proxy took before the switch may still be on its way to the old version. */
const settleFor = 3_000

const { values: given } = parseArgs({
  options: {
    proxy: { type: 'string' },
    ports: { type: 'string', default: '3001,3002' },
    image: { type: 'string' },
    'env-file': { type: 'string' },
    process: { type: 'boolean', default: false },
    state: { type: 'string' },
  },
})
const ports = given.ports.split(',').map(Number)
const isUsable =
  URL.canParse(given.proxy ?? '') &&
  ports.length === 2 &&
  ports[0] !== ports[1] &&
  ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536) &&
  (given.process ? given.state && !given.image : given.image && given['env-file'])
if (!isUsable) {
  console.error(usage)
  process.exit(2)
}

/** The name in lower case, as registries want it; a tag is a tag in its own case. */
const imageOf = (reference) =>
  reference.replace(/^(.*?)((?::[^:/@]+)?(?:@.+)?)$/, (_, name, version) => name.toLowerCase() + version)

/** What Docker gives the container of this setting: of several lines the last, and for a bare name our own. */
function settingOf(name) {
  const line = readFileSync(given['env-file'], 'utf8')
    .split(/\r?\n/)
    .map((text) => text.trimStart())
    .findLast((text) => text === name || text.startsWith(`${name}=`))
  return line === name ? process.env[name] : line?.slice(name.length + 1)
}

/** What the service does without, and a container behind this proxy cannot. */
const needed = {
  DATABASE_URL: 'the new version would serve an empty database of its own',
  TRUST_PROXY: 'behind the proxy all visitors would share one rate limit. For one on this host it is loopback',
  BASE_URL: 'the new version would take itself for one on this machine: no page would work, and mails would lead nowhere',
}

const containers = {
  check() {
    for (const [name, why] of Object.entries(needed))
      if (['', 'off'].includes(settingOf(name)?.trim() ?? ''))
        throw new Error(`${given['env-file']} has no ${name}: ${why}. Nothing was changed`)
  },
  name: (port) => `floorpass-${port}`,
  start(port) {
    const settings = ['--env-file', given['env-file'], '--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1']
    const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
    docker(
      'run',
      '--detach',
      '--name',
      this.name(port),
      '--network',
      'host',
      '--restart',
      'unless-stopped',
      '--stop-timeout',
      String(stopWithin / 1000),
      ...settings,
      ...limits,
      imageOf(given.image),
    )
  },
  // To Docker a container that waits for its next start is running, too.
  isRunning: (port) =>
    docker('inspect', '--format', '{{if .RestartCount}}false{{else}}{{.State.Running}}{{end}}', containers.name(port)).trim() ===
    'true',
  log: (port) => docker('logs', '--tail', '20', containers.name(port)),
  stop(port) {
    if (this.exists(port)) docker('stop', '--time', String(stopWithin / 1000), this.name(port))
    this.remove(port)
  },
  exists: (port) => docker('ps', '--all', '--quiet', '--filter', `name=^${containers.name(port)}$`).trim() !== '',
  remove(port) {
    if (this.exists(port)) docker('rm', '--force', '--volumes', this.name(port))
  },
}

const processes = {
  async check() {
    // Of the checkout as it is now. On demand: a host that runs containers has this file alone.
    const { buildWhenChanged } = await import('../scripts/build-when-changed.mjs')
    await buildWhenChanged('npm run deploy')
  },
  file: (port, kind) => join(given.state, `${port}.${kind}`),
  start(port) {
    mkdirSync(given.state, { recursive: true })
    const log = openSync(this.file(port, 'log'), 'w')
    const child = spawn(fileURLToPath(new URL('start.sh', import.meta.url)), {
      env: { ...process.env, PORT: String(port), HOST: '127.0.0.1' },
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.unref()
    writeFileSync(this.file(port, 'pid'), String(child.pid))
  },
  // A file that was not written to the end names no process; 0 would be this one's whole group.
  pid: (port) => (existsSync(processes.file(port, 'pid')) && Number(readFileSync(processes.file(port, 'pid'), 'utf8'))) || null,
  isRunning(port) {
    const pid = this.pid(port)
    try {
      return pid !== null && process.kill(pid, 0)
    } catch {
      return false
    }
  },
  log: (port) => readFileSync(processes.file(port, 'log'), 'utf8').split('\n').slice(-20).join('\n'),
  async stop(port) {
    const end = Date.now() + stopWithin
    if (this.isRunning(port)) process.kill(this.pid(port), 'SIGTERM')
    while (this.isRunning(port) && Date.now() < end) await delay(50)
    // With its workers: one that hangs outlives its primary.
    if (this.isRunning(port)) process.kill(-this.pid(port), 'SIGKILL')
    rmSync(this.file(port, 'pid'), { force: true })
  },
}

const runner = given.process ? processes : containers

const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

async function livePort() {
  const response = await fetch(given.proxy, { signal: AbortSignal.timeout(5_000) })
  if (!response.ok) throw new Error(`the proxy answered ${response.status} to GET ${given.proxy}`)
  const upstreams = (await response.json()) ?? []
  const live = ports.find((port) => upstreams.some(({ dial }) => dial === `127.0.0.1:${port}`)) ?? null
  if (live === null && upstreams.length > 0) {
    const dials = upstreams.map(({ dial }) => dial).join(', ')
    throw new Error(`the proxy sends to ${dials}, which is none of our ports (${ports.join(', ')}). Nothing was changed`)
  }
  return live
}

async function sendTo(port) {
  const response = await fetch(given.proxy, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ dial: `127.0.0.1:${port}` }]),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the proxy answered ${response.status} to PATCH ${given.proxy}`)
}

const isReady = (port) =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

async function becomesReady(port) {
  for (const end = Date.now() + readyWithin; Date.now() < end; await delay(200)) {
    if (await isReady(port)) return runner.isRunning(port)
    // It may not be there yet in the first moment.
    if (Date.now() > end - readyWithin + 2_000 && !runner.isRunning(port)) return false
  }
  return false
}

/** Sends the proxy to the port. When its answer is lost, the proxy itself says whether it took the order. */
async function switchTo(port) {
  try {
    return await sendTo(port)
  } catch (error) {
    const live = await livePort().catch(() => undefined)
    if (live === port) return
    if (live === undefined)
      throw new Error(
        `${reasonOf(error)}; and it does not say which port it uses. All versions were left running: look at the proxy`,
      )
    await runner.stop(port)
    throw error
  }
}

async function rollOut() {
  await runner.check()
  const old = await livePort()
  const next = ports.find((port) => port !== old)
  await runner.stop(next)
  // Whatever answered there would be taken for the new version.
  if (await isReady(next)) throw new Error(`something that this script did not start serves on port ${next}`)
  console.log(`Starting the new version on port ${next} …`)
  await runner.start(next)
  if (!(await becomesReady(next))) {
    console.error(runner.log(next))
    await runner.stop(next)
    throw new Error(
      `the new version did not become ready. ${old === null ? 'Nothing was running before' : 'The old one still serves, untouched'}`,
    )
  }
  await switchTo(next)
  console.log(`Port ${next} serves.`)
  if (old === null) return
  await delay(settleFor)
  await runner.stop(old)
  console.log(`Port ${old} has finished its requests and is gone.`)
}

const reasonOf = (error) => error.cause?.message ?? error.message

try {
  await rollOut()
} catch (error) {
  console.error(`The roll-out failed: ${reasonOf(error)}.`)
  process.exit(1)
}
