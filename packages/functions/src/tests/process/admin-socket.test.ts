import { once } from 'node:events'
import { chown, readFile, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ask, outboxOf, signedInPerson, signIn } from '@floorpass/reliability'
import { requestCommand } from '@floorpass/service/admin-socket'
import { admin } from '@floorpass/testing/admin-command'
import { fillDataDir } from '@floorpass/testing/migrated-data-dir'
import { type ServerProcess, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { beforeAll, describe, expect, test } from 'vitest'

const reason = 'called back on the number of contract 4711'

type Person = Awaited<ReturnType<typeof signedInPerson>>

let dataDir: string
let server: ServerProcess
let people: Person[]
const target = () => ({ url: server.url, origin: server.url })
const database = () => join(dataDir, 'database')

beforeAll(async () => {
  dataDir = await temporaryFolder()
  server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off' })
  people = []
  for (let count = 0; count < 4; count += 1) people.push(await signedInPerson(target(), outboxOf(dataDir)))
})

const isSignedIn = async ({ cookie }: Person) => (await ask(target(), 'GET', '/auth/get-session', { cookie })).body !== null

/** A terminal that answers each question with `answer`. */
function terminal(answer: Parameters<typeof requestCommand>[2]['ask'] = null) {
  const said: string[] = []
  return {
    said,
    user: 'grace',
    say: (line: string) => void said.push(line),
    ask: answer,
    write: (path: string, text: string) => writeFile(path, text, { mode: 0o600, flag: 'wx' }),
  }
}

describe('while the service runs on the embedded database', () => {
  test('a command acts in the service: a suspended user is signed out at once', async () => {
    const [person] = people as [Person]
    expect(await isSignedIn(person)).toBe(true)
    const done = await admin({ DATA_DIR: dataDir }, 'suspend', person.email, '--reason', reason, '--yes')
    expect([done.code, done.stdout]).toEqual([0, `${person.email} is suspended, 1 session ended.\n`])
    expect(await isSignedIn(person)).toBe(false)
    expect((await signIn(target(), person)).status).toBe(401)
  })

  test('only the owner reaches the socket', async () => {
    expect((await stat(database())).mode & 0o777).toBe(0o700)
    expect((await stat(join(database(), 'admin.sock'))).mode & 0o777).toBe(0o600)
  })

  test('the audit log names the user of the terminal', async () => {
    const [, person] = people as [Person, Person]
    await requestCommand(database(), ['revoke-sessions', person.email], terminal())
    const result = await requestCommand(database(), ['audit', '--user', person.email, '--limit', '1', '--json'], terminal())
    expect(JSON.parse(result?.stdout ?? '')).toMatchObject([{ action: 'revoke-session', actorId: 'operator:grace' }])
  })

  test('a command asks at the terminal, and does nothing after another word', async () => {
    const [, , person] = people as [Person, Person, Person]
    const line = ['suspend', person.email, '--reason', reason]
    const questions: string[] = []
    const answering = (word: string) =>
      terminal(async (question) => {
        questions.push(question)
        return word
      })
    const unsure = answering('no')
    expect(await requestCommand(database(), line, unsure)).toEqual({ stdout: '', exitCode: 1 })
    expect(unsure.said.join('')).toContain('Nothing was done.')
    expect(await isSignedIn(person)).toBe(true)
    expect(await requestCommand(database(), line, answering(person.email))).toMatchObject({ exitCode: 0 })
    expect(await isSignedIn(person)).toBe(false)
    expect(questions).toEqual(Array(2).fill(expect.stringContaining(`Type ${person.email} to continue`)))
  })

  test('without a terminal, a command that asks does nothing', async () => {
    const closed = terminal()
    const line = ['suspend', people[3]?.email ?? '', '--reason', reason]
    expect(await requestCommand(database(), line, closed)).toEqual({ stdout: '', exitCode: 2 })
    expect(closed.said.join('')).toContain('there is no terminal')
  })

  test('a terminal that closes before it answers changes nothing, and the service goes on', async () => {
    const person = people[3] as Person
    const socket = connect(join(database(), 'admin.sock'))
    socket.write(`${JSON.stringify({ argv: ['suspend', person.email, '--reason', reason], user: 'grace', canAsk: true })}\n`)
    expect(String(await once(socket, 'data'))).toContain('Type ')
    socket.destroy()
    const found = await requestCommand(database(), ['find', person.email, '--json'], terminal())
    expect(JSON.parse(found?.stdout ?? '')).toMatchObject([{ email: person.email, suspendedAt: null }])
  })

  test('an export is written by the terminal, and replaces no file', async () => {
    const person = people[3] as Person
    const file = join(await temporaryFolder(), 'export.json')
    const line = ['export', person.email, '--output', file]
    expect(await requestCommand(database(), line, terminal())).toEqual({ stdout: `Written to ${file}.\n`, exitCode: 0 })
    expect([JSON.parse(await readFile(file, 'utf8')).user.email, (await stat(file)).mode & 0o777]).toEqual([person.email, 0o600])
    const again = terminal()
    expect(await requestCommand(database(), line, again)).toMatchObject({ exitCode: 1 })
    expect(again.said.join('')).toMatch(/was not written.+EEXIST/s)
  })

  test('a reason may have line separators, which JSON does not escape', async () => {
    const person = people[3] as Person
    const line = ['request-unlock', person.email, '--reason', 'called\u2028back on the number of contract 4711', '--yes']
    const refused = terminal()
    expect(await requestCommand(database(), line, refused)).toEqual({ stdout: '', exitCode: 1 })
    expect(refused.said.join('')).toContain('ACCOUNT_NOT_LOCKED')
  })

  test('refuses an import, which would delay requests', async () => {
    const closed = terminal()
    expect(await requestCommand(database(), ['import', 'users.json'], closed)).toEqual({ stdout: '', exitCode: 1 })
    expect(closed.said.join('')).toContain('Stop the service')
  })

  test('refuses a wrong command line with exit code 2', async () => {
    expect(await requestCommand(database(), ['no-such-command'], terminal())).toMatchObject({ exitCode: 2 })
  })

  test('has nothing to migrate', async () => {
    expect(await requestCommand(database(), ['migrate', '--plan'], terminal())).toMatchObject({ exitCode: 0 })
  })

  test.each(['no JSON', 'null', '{}', '{"argv":["find",5],"user":"grace","canAsk":false}'])(
    'the message %s ends that client only',
    async (message) => {
      const socket = connect(join(database(), 'admin.sock'))
      socket.write(`${message}\n`)
      await once(socket, 'close')
      expect(await requestCommand(database(), ['find', 'unknown'], terminal())).toMatchObject({ exitCode: 0 })
    },
  )
})

test('a stop of the service ends the command that waits for an answer; the next command opens the database itself', async () => {
  const person = people[3] as Person
  const asked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const waiting = terminal((_, signal) => {
    asked.resolve()
    signal?.addEventListener('abort', () => ended.resolve(''))
    return ended.promise
  })
  const command = requestCommand(database(), ['suspend', person.email, '--reason', reason], waiting)
  await asked.promise
  // A client that sends nothing must not keep the database open either.
  const idle = connect(join(database(), 'admin.sock'))
  await once(idle, 'connect')
  const { code, stderr } = await server.end('SIGTERM')
  expect([code, stderr]).toEqual([0, ''])
  expect(await command).toEqual({ stdout: '', exitCode: 1 })
  expect(waiting.said.join('')).toContain('may have taken effect')
  await ended.promise
  const found = await admin({ DATA_DIR: dataDir }, 'find', person.email, '--json')
  expect(found.json).toMatchObject([{ email: person.email, suspendedAt: null }])
})

test.runIf(process.getuid?.() === 0)(
  'root runs no command on the database of another user, whose service could not start afterwards',
  async () => {
    const { DATA_DIR } = await fillDataDir({ DATA_DIR: await temporaryFolder() })
    const folder = join(DATA_DIR, 'database')
    await chown(folder, 65_534, 65_534)
    for (const line of [['migrate'], ['find', 'ada@example.test']]) {
      const { code, stderr } = await admin({ DATA_DIR }, ...line)
      expect(code).toBe(1)
      expect(stderr).toContain(
        `${folder} belongs to user 65534, and you are root. Run the command as that user: sudo -u '#65534'`,
      )
    }
  },
)
