import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'
import { databaseEnvironment, freePort, temporaryFolder } from '@floorpass/testing/server-process'
import { afterAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const database = await databaseEnvironment()

const proxy = fork(fileURLToPath(new URL('../../../../testing/src/proxy-process.ts', import.meta.url)), {
  execArgv: ['--disable-warning=ExperimentalWarning'],
})
const [[proxyPort, adminPort]] = (await once(proxy, 'message')) as [[number, number]]
const state = await temporaryFolder()
const ports = [await freePort(), await freePort()]
const service = `http://127.0.0.1:${proxyPort}`
const admin = `http://127.0.0.1:${adminPort}/id/floorpass/upstreams`

afterAll(() => {
  proxy.kill()
  for (const name of readdirSync(state).filter((file) => file.endsWith('.pid')))
    process.kill(Number(readFileSync(join(state, name), 'utf8')), 'SIGKILL')
})

/** Makes the clock of a roll-out ten times as fast. Pauses do not change. */
const fasterClock = `--import=data:text/javascript,${encodeURIComponent(`
  const { now } = Date
  const start = now()
  Date.now = () => start + 10 * (now() - start)`)}`

async function rollOut(
  environment: Record<string, string> = {},
  nodeFlags: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [...nodeFlags, 'deploy/roll-out.mjs', '--process', '--state', state, '--ports', ports.join(), '--proxy', admin],
    {
      cwd: root,
      env: {
        ...Object.fromEntries(variables.map((name) => [name, ''])),
        PATH: process.env.PATH,
        ...database,
        BASE_URL: `http://localhost:${proxyPort}`,
        DATA_DIR: join(state, 'data'),
        RATE_LIMIT: 'off',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

const upstream = async () => ((await (await fetch(admin)).json()) as { dial: string }[]).map(({ dial }) => dial)
const isAlive = (port: number | undefined) => existsSync(join(state, `${port}.pid`))

/** Sends requests without a pause until stopped. Returns the number of each answer. */
function load(): () => Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  let running = true
  const caller = async (path: string, init?: RequestInit) => {
    while (running) {
      const kind = await fetch(service + path, init).then(
        async (response) => `${path} ${response.status}${(await response.text()) === '' ? ' empty' : ''}`,
        (error: Error) => `${path} ${error.message}`,
      )
      seen[kind] = (seen[kind] ?? 0) + 1
    }
  }
  const signIn = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'unknown@example.test', password: 'plum kettle orbit' }),
  }
  const callers = [caller('/auth/get-session'), caller('/login'), caller('/auth/sign-in/email', signIn)]
  return async () => {
    running = false
    await Promise.all(callers)
    return seen
  }
}

// Two versions at once need a database that two processes can share.
describe.skipIf(!database.DATABASE_URL)('a rollout', () => {
  test('builds the pages if needed, and starts the first version', async () => {
    // Not the program itself: other files start services from the same build.
    const built = join(root, 'apps', 'service', 'build', 'server.js.map')
    rmSync(built)
    const { code, output } = await rollOut()
    expect(existsSync(built)).toBe(true)
    expect([code, output]).toEqual([0, expect.stringContaining(`Port ${ports[0]} serves.`)])
    expect((await fetch(`${service}/readyz`)).status).toBe(200)
  })

  test('T195: replaces a version under load, there and back, without a failed request', async () => {
    const stop = load()
    const there = await rollOut()
    const back = await rollOut()
    const seen = await stop()
    expect([there.code, back.code]).toEqual([0, 0])
    expect(there.output).toContain(`The old version on port ${ports[0]} has finished its requests and stopped.`)
    expect(Object.keys(seen).sort()).toEqual(['/auth/get-session 200', '/auth/sign-in/email 401', '/login 200'])
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
    expect([isAlive(ports[0]), isAlive(ports[1])]).toEqual([true, false])
  })

  test('removes a version that does not become ready, and the old one serves on', async () => {
    const stop = load()
    const { code, output } = await rollOut({ AUTH_SECRET: 'too short' })
    const seen = await stop()
    expect(code).toBe(1)
    expect(output).toContain('AUTH_SECRET')
    expect(output).toContain('The old version still serves.')
    expect(Object.keys(seen).sort()).toEqual(['/auth/get-session 200', '/auth/sign-in/email 401', '/login 200'])
    expect(await upstream()).toEqual([`127.0.0.1:${ports[0]}`])
    expect(isAlive(ports[1])).toBe(false)
  })

  test('refuses a foreign process on its port', async () => {
    const foreignServer = createServer((_, response) => void response.end('ready')).listen(ports[1], '127.0.0.1')
    await once(foreignServer, 'listening')
    const { code, output } = await rollOut()
    foreignServer.close()
    expect([code, output]).toEqual([1, expect.stringContaining(`another program serves on port ${ports[1]}`)])
    expect(await upstream()).toEqual([`127.0.0.1:${ports[0]}`])
  })

  test('kills a version that does not stop in time, with its child processes', async () => {
    const hanging = spawn('sh', ['-c', 'trap "" TERM; sleep 300 & wait', `--title=floorpass-${ports[1]}`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const isGone = once(hanging, 'close').then(() => true)
    writeFileSync(join(state, `${ports[1]}.pid`), String(hanging.pid))
    await rollOut({ AUTH_SECRET: 'too short' }, [fasterClock])
    expect(await Promise.race([isGone, delay(10_000, false)])).toBe(true)
  })
})

test('a rollout refuses a pid file whose process is another program, and does not signal it', async () => {
  const other = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  const file = join(state, `${ports[1]}.pid`)
  writeFileSync(file, String(other.pid))
  const { code, output } = await rollOut()
  const hasEnded = other.exitCode !== null || other.signalCode !== null
  other.kill()
  rmSync(file)
  expect(code).toBe(1)
  expect(output).toContain(`${file} names process ${other.pid}, and that process is not floorpass-${ports[1]}`)
  expect(output).toContain('Remove the file and deploy again')
  expect(hasEnded).toBe(false)
})

test('a rollout without its arguments prints how to use it', async () => {
  const child = spawn(process.execPath, ['deploy/roll-out.mjs', '--image', 'x'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  expect([(await once(child, 'close'))[0], output]).toEqual([2, expect.stringContaining('Usage: npm run deploy')])
})
