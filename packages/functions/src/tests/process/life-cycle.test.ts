import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import { launchService, startService } from '@floorpass/reliability'
import { openService } from '@floorpass/service'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { describe, expect, test } from 'vitest'

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

describe('a started server', () => {
  test('prints its URL and that of its mailbox, and both answer', async () => {
    // Creates its database, unlike the servers of the other tests.
    const server = await startService(await environment({ APP_NAME: 'Desk' }))
    const own = `http://localhost:${server.port}`
    expect(server.stdout()).toContain(`\nDesk runs at ${own}\n`)
    expect(server.stdout()).toContain(`${own}/signup\n`)
    expect(server.stdout()).toContain(`${own}/dev/mailbox\n`)
    expect(server.stdout()).toContain('Ctrl-C')

    for (const path of ['/', '/signup', '/login', '/dev/mailbox']) {
      const page = await fetch(server.url + path)
      expect([path, page.status, page.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringMatching(/^text\/html; charset=utf-8$/i),
      ])
    }
    const dashboard = await fetch(`${server.url}/dashboard`, { redirect: 'manual' })
    expect([dashboard.status, dashboard.headers.get('location')]).toEqual([302, '/login?redirectTo=%2Fdashboard'])

    await signUp(server.url, 'ada@example.test')
    await eventually(async () => expect(await (await fetch(`${server.url}/dev/mailbox`)).text()).toContain('ada@example.test'))
    const { code, stderr } = await server.end('SIGTERM')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test.runIf(process.platform === 'linux')('has threads for files and DNS beside those that hash', async () => {
    for (const [given, threads] of [
      [{}, availableParallelism() + 4],
      [{ UV_THREADPOOL_SIZE: '3' }, 3],
    ] as const) {
      const server = await startServer(await environment(given))
      const tasks = `/proc/${server.pid}/task`
      const names = (await readdir(tasks)).map((id) => readFile(`${tasks}/${id}/comm`, 'utf8'))
      expect((await Promise.all(names)).filter((name) => name.startsWith('libuv-worker'))).toHaveLength(threads)
      await server.end('SIGTERM')
    }
  })

  test('prints no mailbox when there is none', async () => {
    const server = await startServer(await environment({ SMTP_URL: 'smtp://127.0.0.1:1' }))
    expect(server.stdout()).toContain('runs at')
    expect(server.stdout()).not.toContain('mailbox')
    expect((await fetch(`${server.url}/dev/mailbox`)).status).toBe(404)
    await server.end('SIGTERM')
  })

  test('keeps its secret readable by its owner alone, and reuses it', async () => {
    const settings = await environment()
    const file = join(settings.DATA_DIR, 'auth-secret')
    const secrets: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const server = await startServer(settings)
      secrets.push(await readFile(file, 'utf8'))
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect((await stat(settings.DATA_DIR)).mode & 0o077).toBe(0)
      const { stdout, stderr } = await server.end('SIGTERM')
      expect(stdout + stderr).not.toContain(secrets[0])
    }
    expect(secrets[0]).toMatch(/^[\w-]{43}$/)
    expect(secrets[1]).toBe(secrets[0])
  })

  test('keeps its data across restarts', async () => {
    const settings = await environment()
    const first = await startServer(settings)
    const email = 'lasting@example.test'
    expect((await signUp(first.url, email)).status).toBe(200)
    await first.end('SIGINT')
    const second = await startServer(settings)
    const answer = await fetch(`${second.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'plum kettle orbit' }),
    })
    expect([answer.status, await answer.json()]).toEqual([403, { code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' }])
    await second.end('SIGTERM')
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

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  test('ends it with code 0 within 5 s, after the requests under way got their answers', async () => {
    const server = await startServer(await environment())
    // Opens the connections first: the kernel drops those that the server has not accepted when it stops listening.
    const places = Array.from({ length: 12 }, (_, place) => place)
    await Promise.all(places.map(async () => (await fetch(`${server.url}/healthz`)).text()))
    // Browsers keep idle connections open, which must not delay the stop.
    const idle = connect(server.port, '127.0.0.1')
    await once(idle, 'connect')
    // Twelve password hashes: most are queued when the signal arrives.
    const underWay = places.map((place) => signUp(server.url, `under-way-${place}@example.test`))
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
  })

  test('ends it with code 0 while a caller never finishes and the mail server never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const server = await startServer(await environment({ SMTP_URL: `smtp://127.0.0.1:${port}` }))
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
  const started = launchService({ ...(await environment()), PORT: String(await freePort()) }, [
    `--import=data:text/javascript,${encodeURIComponent(shim)}`,
  ])
  expect(await started.exited).toMatchObject({ code: 0, stdout: expect.stringContaining('runs at'), stderr: '' })
})

test('a part that cannot stop does not keep the database open', async () => {
  const DATA_DIR = await temporaryFolder()
  const service = await openService({ DATA_DIR, LOG_LEVEL: 'silent' })
  service.deps.mail.stop = () => Promise.reject(new Error('the mails are stuck'))
  await expect(service.stop()).rejects.toThrow('the mails are stuck')
  // It has a lock, so only one process has it open.
  const again = await openDatabase({ kind: 'embedded', directory: join(DATA_DIR, 'database') })
  await again.close()
})
