import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import { launchService, startService } from '@floorpass/reliability'
import { openService } from '@floorpass/service'
import { eventually } from '@floorpass/testing/eventually'
import { fillDataDir } from '@floorpass/testing/migrated-data-dir'
import {
  databaseEnvironment,
  freePort,
  type ServerProcess,
  startServer,
  temporaryFolder,
} from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { beforeAll, describe, expect, test } from 'vitest'

const database = await databaseEnvironment()
const environment = async (more: Record<string, string> = {}) => ({
  ...database,
  DATA_DIR: await temporaryFolder(),
  RATE_LIMIT: 'off',
  ...more,
})

const signUp = (url: string, email: string) =>
  fetch(`${url}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', email, password: 'plum kettle orbit' }),
  })

async function countThreads({ pid }: ServerProcess): Promise<number> {
  const tasks = `/proc/${pid}/task`
  const names = (await readdir(tasks)).map((id) => readFile(`${tasks}/${id}/comm`, 'utf8'))
  return (await Promise.all(names)).filter((name) => name.startsWith('libuv-worker')).length
}

async function endUnderLoad(server: ServerProcess, signal: NodeJS.Signals): Promise<void> {
  // Opens the connections first: the kernel drops those that the server has not accepted when it stops listening.
  const places = Array.from({ length: 12 }, (_, place) => place)
  await Promise.all(places.map(async () => (await fetch(`${server.url}/healthz`)).text()))
  // Browsers keep idle connections open, which must not delay the stop.
  const idle = connect(server.port, '127.0.0.1')
  await once(idle, 'connect')
  // Twelve password hashes: most are queued when the signal arrives.
  const underWay = places.map((place) => signUp(server.url, `under-way-${signal}-${place}@example.test`))
  await Promise.race(underWay)
  const ended = server.end(signal)
  // npm delivers Ctrl-C twice.
  void server.end(signal)
  const answers = await Promise.all(underWay)
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  const { code, signal: by, stderr } = await ended
  expect({ code, by, stderr }).toEqual({ code: 0, by: null, stderr: '' })
  idle.destroy()
  await expect(fetch(`${server.url}/healthz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
}

const settings = await environment({ APP_NAME: 'Desk' })
const secretFile = join(settings.DATA_DIR, 'auth-secret')
const readSecret = () => readFile(secretFile, 'utf8')
const lastingEmail = 'lasting@example.test'
// Creates its database, unlike the servers of the other tests.
const first = await startService(settings)
const firstSecret = await readSecret()

describe('a started server', () => {
  test('prints its URL and that of its mailbox, and both answer', async () => {
    const own = `http://localhost:${first.port}`
    expect(first.stdout()).toContain(`\nDesk runs at ${own}\n`)
    expect(first.stdout()).toContain(`${own}/signup\n`)
    expect(first.stdout()).toContain(`${own}/dev/mailbox\n`)
    expect(first.stdout()).toContain('Ctrl-C')

    for (const path of ['/', '/signup', '/login', '/dev/mailbox']) {
      const page = await fetch(first.url + path)
      expect([path, page.status, page.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringMatching(/^text\/html; charset=utf-8$/i),
      ])
    }
    const dashboard = await fetch(`${first.url}/dashboard`, { redirect: 'manual' })
    expect([dashboard.status, dashboard.headers.get('location')]).toEqual([302, '/login?redirectTo=%2Fdashboard'])

    expect((await signUp(first.url, lastingEmail)).status).toBe(200)
    await eventually(async () => expect(await (await fetch(`${first.url}/dev/mailbox`)).text()).toContain(lastingEmail))
  })

  test.runIf(process.platform === 'linux')('has threads for files and DNS beside those that hash', async () => {
    expect(await countThreads(first)).toBe(availableParallelism() + 4)
  })

  test('keeps its secret readable by its owner alone', async () => {
    expect(firstSecret).toMatch(/^[\w-]{43}$/)
    expect((await stat(secretFile)).mode & 0o777).toBe(0o600)
    expect((await stat(settings.DATA_DIR)).mode & 0o077).toBe(0)
  })

  // Last, because it stops the server of the tests above.
  test('SIGTERM ends it with code 0 within 5 s, after the requests under way got their answers', () =>
    endUnderLoad(first, 'SIGTERM'))
})

describe('a restarted server', () => {
  let second: ServerProcess
  beforeAll(async () => {
    await first.end('SIGTERM')
    second = await startServer({ ...settings, UV_THREADPOOL_SIZE: '3' })
  })

  test('keeps its data', async () => {
    const answer = await fetch(`${second.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: lastingEmail, password: 'plum kettle orbit' }),
    })
    expect([answer.status, await answer.json()]).toEqual([403, { code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' }])
  })

  test('reuses its secret, which stays readable by its owner alone', async () => {
    expect(await readSecret()).toBe(firstSecret)
    expect((await stat(secretFile)).mode & 0o777).toBe(0o600)
    expect((await stat(settings.DATA_DIR)).mode & 0o077).toBe(0)
  })

  test.runIf(process.platform === 'linux')('has as many threads as UV_THREADPOOL_SIZE', async () => {
    expect(await countThreads(second)).toBe(3)
  })

  // Last, because it stops the server of the tests above.
  test('SIGINT ends it with code 0 within 5 s, after the requests under way got their answers', async () => {
    await endUnderLoad(second, 'SIGINT')
    for (const server of [first, second]) {
      const { stdout, stderr } = await server.exited
      expect(stdout + stderr).not.toContain(firstSecret)
    }
  })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s during the start ends it with code %i, even as the first process of a container', async (signal, code) => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const asked = once(silent, 'connection')
  const { port } = silent.address() as AddressInfo
  const starting = launchService({
    DATABASE_URL: `postgres://unknown@127.0.0.1:${port}/none`,
    DATA_DIR: await temporaryFolder(),
    PORT: String(await freePort()),
  })
  const [connection] = (await Promise.race([asked, starting.exited.then(() => [])])) as [Socket?]
  expect(await starting.end(signal)).toMatchObject({ code, stderr: '' })
  connection?.destroy()
  silent.close()
})

describe.each(['SIGINT', 'SIGTERM'] as const)('a server with a mail server that never answers, until %s', (signal) => {
  let silent: Server
  let server: ServerProcess
  beforeAll(async () => {
    silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    server = await startServer(await environment({ SMTP_URL: `smtp://127.0.0.1:${port}` }))
  })

  test('prints no mailbox', async () => {
    expect(server.stdout()).toContain('runs at')
    expect(server.stdout()).not.toContain('mailbox')
    expect((await fetch(`${server.url}/dev/mailbox`)).status).toBe(404)
  })

  // Last, because it stops the server of the test above.
  test('ends with code 0 while a caller never finishes', async () => {
    const connected = once(silent, 'connection')
    expect((await signUp(server.url, 'ada@example.test')).status).toBe(200)
    await connected
    const slow = connect(server.port, '127.0.0.1')
    slow.on('error', () => {})
    slow.write(
      'POST /auth/sign-in/email HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await fetch(`${server.url}/healthz`)
    const { code } = await server.end(signal)
    expect(code).toBe(0)
    slow.destroy()
    silent.close()
  })
})

test('a SIGTERM that arrives while the start hands its signals over stops the service', async () => {
  const shim = `const { off } = process
    process.off = (name, listener) => {
      if (name === 'SIGTERM') process.kill(process.pid, name)
      return off.call(process, name, listener)
    }`
  const started = launchService(await fillDataDir(await environment({ PORT: String(await freePort()) })), [
    `--import=data:text/javascript,${encodeURIComponent(shim)}`,
  ])
  expect(await started.exited).toMatchObject({ code: 0, stdout: expect.stringContaining('runs at'), stderr: '' })
})

test.runIf(testDatabase.kind === 'embedded')('a part that cannot stop does not keep the database open', async () => {
  const DATA_DIR = await temporaryFolder()
  const service = await openService(await fillDataDir({ DATA_DIR, LOG_LEVEL: 'silent' }))
  service.deps.mail.stop = () => Promise.reject(new Error('the mails are stuck'))
  await expect(service.stop()).rejects.toThrow('the mails are stuck')
  // It has a lock, so only one process has it open.
  const again = await openDatabase({ kind: 'embedded', directory: join(DATA_DIR, 'database') })
  await again.close()
})
