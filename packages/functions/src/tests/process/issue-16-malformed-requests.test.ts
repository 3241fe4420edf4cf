import { sendRaw } from '@floorpass/testing/raw-http'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'off' })
const ask = (start: string, lines: string[]) =>
  sendRaw(server.port, Buffer.from([`${start} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'), 'latin1'))
const targets = ['/', '/login', '/login.data', '/unknown', '/healthz', '/dev/mailbox', '/trpc/sessions.get', '/auth/get-session']
/** Requests without a cookie reach the edge; the one with a cookie takes the fast path. */
const readers = [...targets.map((target) => [target]), ['/auth/get-session', `cookie: local-floorpass_session=${'A'.repeat(43)}`]]
const expectRefused = async (status: number, start: string, lines: string[]) => {
  const answer = await ask(start, lines)
  expect([start, answer.status, JSON.parse(answer.body || '{}')]).toEqual([
    start,
    status,
    { code: 'BAD_REQUEST', message: expect.any(String) },
  ])
  expect(answer.head).toMatch(/^x-request-id: [\da-f-]{36}$/im)
  expect(answer.head).toMatch(/^x-content-type-options: nosniff$/im)
}

test.each(['a.1', 'a.1.', '1.2.3.256', 'a.0x1', 'a.1:3000', 'a,b', 'loc\u00aalhost', 'localhost\u00a0', 'localhost:65536'])(
  'refuses the invalid Host %j on every path',
  async (host) => {
    for (const [target, ...cookie] of readers) await expectRefused(400, `GET ${target}`, [`host: ${host}`, ...cookie])
    await expectRefused(400, 'GET http://localhost/auth/get-session', [`host: ${host}`])
  },
)

test.each([
  ['different values', 'localhost', 'evil.test'],
  ['the same value twice', 'localhost', 'localhost'],
  ['a valid one after an invalid one', 'a.1', 'localhost'],
])('refuses two Host headers on every path: %s', async (_, first, second) => {
  for (const [target, ...cookie] of readers)
    await expectRefused(400, `GET ${target}`, [`host: ${first}`, `Host: ${second}`, ...cookie])
})

test('refuses a URL with a user name', async () => {
  for (const authority of ['user:password@localhost', 'user@localhost', ':password@localhost', '/user:password@localhost'])
    for (const method of ['GET', 'POST'])
      for (const path of ['/login', '/auth/sign-out', '/unknown'])
        await expectRefused(400, `${method} http://${authority}${path}`, ['host: localhost', 'content-length: 0'])
})

test('refuses an Expect header other than 100-continue with a code, on every path', async () => {
  for (const [target, ...cookie] of readers)
    await expectRefused(417, `GET ${target}`, ['host: localhost', 'expect: 200-ok', ...cookie])
  // Node has already answered 100 to this one.
  expect((await ask('GET /login', ['host: localhost', 'expect: 100-continue, 200-ok'])).all).toMatch(/HTTP\/1\.1 417 /)
  const posted = await ask('POST /auth/sign-out', ['host: localhost', 'expect: 100-continue', 'content-length: 0'])
  expect(posted.all).toMatch(/HTTP\/1\.1 200 /)
})

test('closes the connection after a refusal, and answers nothing behind it', async () => {
  const refused = 'POST /auth/sign-out HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\ncontent-length: 5\r\n\r\n'
  const answer = await sendRaw(server.port, `${refused}hello${'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(3)}`)
  expect([answer.isOpen, answer.all.match(/HTTP\/1\.1 \d{3}/g)]).toEqual([false, ['HTTP/1.1 417']])
})

test('logs no error and no stack', async () => {
  const { stdout, stderr } = await server.end('SIGTERM')
  expect(server.logs().filter(({ level }) => Number(level) >= 40)).toEqual([])
  expect(stdout + stderr).not.toMatch(/ at .*:\d+:\d+/)
})
