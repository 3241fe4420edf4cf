// Replaces the running version without a failed request. See docs/deployment.md.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run deploy -- --proxy <url> [--ports 3001,3002] (--image <reference> --env-file <file> | --process --state <folder>)
  --proxy     the proxy's upstreams in Caddy's admin API: http://127.0.0.1:2019/id/floorpass/upstreams
  --ports     the two ports that versions use in turn
  --image     the container image to run, with the settings in --env-file
  --process   run this checkout instead of a container, with the settings in the environment
  --state     the folder for process ids and logs of --process; best one that a reboot empties`
const startTimeout = 90_000
const stopTimeout = 30_000
/** Requests that the proxy accepted before the switch may still reach the old version. */
const settleTime = 3_000

const { values: options } = parseArgs({
  options: {
    proxy: { type: 'string' },
    ports: { type: 'string', default: '3001,3002' },
    image: { type: 'string' },
    'env-file': { type: 'string' },
    process: { type: 'boolean', default: false },
    state: { type: 'string' },
  },
})
const ports = options.ports.split(',').map(Number)
const isUsable =
  URL.canParse(options.proxy ?? '') &&
  ports.length === 2 &&
  ports[0] !== ports[1] &&
  ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536) &&
  (options.process ? options.state && !options.image : options.image && options['env-file'])
if (!isUsable) {
  console.error(usage)
  process.exit(2)
}

const normalizeImage = (reference) =>
  reference.replace(/^(.*?)((?::[^:/@]+)?(?:@.+)?)$/, (_, name, version) => name.toLowerCase() + version)

/** Reads a setting as Docker does: the last line wins, and a bare name takes its value from this environment. */
function readSetting(name) {
  const line = readFileSync(options['env-file'], 'utf8')
    .split(/\r?\n/)
    .map((text) => text.trimStart())
    .findLast((text) => text === name || text.startsWith(`${name}=`))
  return line === name ? process.env[name] : line?.slice(name.length + 1)
}

const requiredSettings = {
  DATABASE_URL: 'the new version would serve a new, empty database',
  TRUST_PROXY: 'all visitors behind the proxy would share one rate limit. For a proxy on this host, set it to loopback',
  BASE_URL: 'the new version would use http://localhost, so pages and links in emails would not work',
}

const containers = {
  check() {
    for (const [name, why] of Object.entries(requiredSettings))
      if (['', 'off'].includes(readSetting(name)?.trim() ?? ''))
        throw new Error(`${options['env-file']} has no ${name}: ${why}. Nothing was changed`)
  },
  name: (port) => `floorpass-${port}`,
  start(port) {
    const settings = ['--env-file', options['env-file'], '--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1']
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
      String(stopTimeout / 1000),
      ...settings,
      ...limits,
      normalizeImage(options.image),
    )
  },
  // Docker also reports a container between two restarts as running.
  isRunning: (port) =>
    docker('inspect', '--format', '{{if .RestartCount}}false{{else}}{{.State.Running}}{{end}}', containers.name(port)).trim() ===
    'true',
  log: (port) => docker('logs', '--tail', '20', containers.name(port)),
  stop(port) {
    if (this.exists(port)) docker('stop', '--time', String(stopTimeout / 1000), this.name(port))
    this.remove(port)
  },
  exists: (port) => docker('ps', '--all', '--quiet', '--filter', `name=^${containers.name(port)}$`).trim() !== '',
  remove(port) {
    if (this.exists(port)) docker('rm', '--force', '--volumes', this.name(port))
  },
}

function findCommand(pid) {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return null
  }
}

const processes = {
  async check() {
    for (const port of ports) {
      const pid = this.pid(port)
      if (pid && findCommand(pid) && !this.isRunning(port))
        throw new Error(
          `${this.file(port, 'pid')} names process ${pid}, and that process is not ${this.name(port)}: its version has ended, or an older roll-out started it. Nothing was changed. Remove the file and deploy again; if the process (see ps -p ${pid}) is Floorpass, stop it afterwards`,
        )
    }
    const { buildWhenChanged } = await import('../scripts/build-when-changed.mjs')
    await buildWhenChanged('npm run deploy')
  },
  name: (port) => `floorpass-${port}`,
  file: (port, kind) => join(options.state, `${port}.${kind}`),
  start(port) {
    mkdirSync(options.state, { recursive: true })
    const log = openSync(this.file(port, 'log'), 'w')
    const child = spawn(fileURLToPath(new URL('start.sh', import.meta.url)), [`--title=${this.name(port)}`], {
      env: { ...process.env, PORT: String(port), HOST: '127.0.0.1' },
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.unref()
    writeFileSync(this.file(port, 'pid'), String(child.pid))
  },
  // An incomplete pid file counts as none. Pid 0 would signal this process's own group.
  pid: (port) => (existsSync(processes.file(port, 'pid')) && Number(readFileSync(processes.file(port, 'pid'), 'utf8'))) || null,
  // Another program may have the number of a version that ended.
  isRunning(port) {
    const pid = this.pid(port)
    return pid !== null && new RegExp(`(^|--title=)${this.name(port)}( |$)`).test(findCommand(pid))
  },
  log: (port) => readFileSync(processes.file(port, 'log'), 'utf8').split('\n').slice(-20).join('\n'),
  async stop(port) {
    const end = Date.now() + stopTimeout
    if (this.isRunning(port)) process.kill(this.pid(port), 'SIGTERM')
    while (this.isRunning(port) && Date.now() < end) await delay(50)
    // Kill the whole group: a worker that hangs outlives its primary.
    if (this.isRunning(port)) process.kill(-this.pid(port), 'SIGKILL')
    rmSync(this.file(port, 'pid'), { force: true })
  },
}

const runner = options.process ? processes : containers

const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

async function findLivePort() {
  const response = await fetch(options.proxy, { signal: AbortSignal.timeout(5_000) })
  if (!response.ok) throw new Error(`the proxy answered ${response.status} to GET ${options.proxy}`)
  const upstreams = (await response.json()) ?? []
  const live = ports.find((port) => upstreams.some(({ dial }) => dial === `127.0.0.1:${port}`)) ?? null
  if (live === null && upstreams.length > 0) {
    const dials = upstreams.map(({ dial }) => dial).join(', ')
    throw new Error(`the proxy sends to ${dials}, and not to one of our ports (${ports.join(', ')}). Nothing was changed`)
  }
  return live
}

async function sendTo(port) {
  const response = await fetch(options.proxy, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ dial: `127.0.0.1:${port}` }]),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the proxy answered ${response.status} to PATCH ${options.proxy}`)
}

const isReady = (port) =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

async function waitUntilReady(port) {
  for (const end = Date.now() + startTimeout; Date.now() < end; await delay(200)) {
    if (await isReady(port)) return runner.isRunning(port)
    if (Date.now() > end - startTimeout + 2_000 && !runner.isRunning(port)) return false
  }
  return false
}

async function switchTo(port) {
  try {
    return await sendTo(port)
  } catch (error) {
    const live = await findLivePort().catch(() => undefined)
    if (live === port) return
    if (live === undefined)
      throw new Error(`${describeError(error)}; and it does not say which port it uses. All versions still run: check the proxy`)
    await runner.stop(port)
    throw error
  }
}

async function rollOut() {
  await runner.check()
  const old = await findLivePort()
  const next = ports.find((port) => port !== old)
  await runner.stop(next)
  if (await isReady(next)) throw new Error(`another program serves on port ${next}`)
  console.log(`Starting the new version on port ${next} …`)
  await runner.start(next)
  if (!(await waitUntilReady(next))) {
    console.error(runner.log(next))
    await runner.stop(next)
    throw new Error(
      `the new version did not become ready. ${old === null ? 'Nothing was running before' : 'The old version still serves'}`,
    )
  }
  await switchTo(next)
  console.log(`Port ${next} serves.`)
  if (old === null) return
  await delay(settleTime)
  await runner.stop(old)
  console.log(`The old version on port ${old} has finished its requests and stopped.`)
}

const describeError = (error) => error.cause?.message ?? error.message

try {
  await rollOut()
} catch (error) {
  console.error(`The roll-out failed: ${describeError(error)}.`)
  process.exit(1)
}
