import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { databaseEnvironment, startServer, temporaryFolder } from '../../test-support/server-process.ts'

const origin = 'https://localhost:4443'
const trusted = 'https://app.example.com'
const dataDir = await temporaryFolder()
const server = await startServer({
  ...(await databaseEnvironment()),
  BASE_URL: origin,
  TRUSTED_ORIGINS: trusted,
  DATA_DIR: dataDir,
  RATE_LIMIT: 'off',
})

/** One request as it goes over the wire, its answer as it comes. */
const exchange = async (lines: string[], body = ''): Promise<string> => {
  const socket = connect(server.port, '127.0.0.1')
  socket.write([...lines, 'connection: close', '', body].join('\r\n'))
  let answer = ''
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1')
  })
  await once(socket, 'close')
  return answer
}
const host = 'host: localhost:4443'
const post = async (path: string, body: unknown) => {
  const text = JSON.stringify(body)
  const length = `content-length: ${text.length}`
  return exchange([`POST ${path} HTTP/1.1`, host, `origin: ${origin}`, 'content-type: application/json', length], text)
}
const person = { name: 'Ada Lovelace', email: 'ada@example.test', password: 'plum kettle orbit' }

const signInAgain = async () => {
  const answer = await post('/auth/sign-in/email', { email: person.email, password: person.password })
  return /set-cookie: (__Host-floorpass_session=[\w-]+)/i.exec(answer)?.[1] ?? ''
}
const signedIn = async (): Promise<string> => {
  await post('/auth/sign-up/email', person)
  const outbox = join(dataDir, 'outbox')
  const [mail = ''] = await vi.waitFor(
    async () => {
      const files = (await readdir(outbox)).filter((name) => name.endsWith('.json'))
      expect(files).not.toHaveLength(0)
      return files
    },
    { timeout: 20_000 },
  )
  const token = /token=([\w-]+)/.exec(JSON.parse(await readFile(join(outbox, mail), 'utf8')).text)?.[1]
  await post('/auth/verify-email', { token })
  return signInAgain()
}
const cookie = await signedIn()
expect(cookie).not.toBe('')
let asked = 0
/** How many calls the edge has answered and logged by now. */
const edgeAnswers = async () => {
  asked += 1
  await exchange([`GET /auth/until-${asked} HTTP/1.1`, host])
  await expect.poll(server.stdout).toContain(`/auth/until-${asked}"`)
  return server.stdout().match(/"path":"\/auth\/get-session"/g)?.length ?? 0
}
const comparable = (answer: string) => answer.replace(/x-request-id: [\w-]{36}/, 'x-request-id: …').replace(/Date: .*/, 'Date: …')

describe('get-session from memory', () => {
  test.each<[string, string[], 'memory' | 'edge']>([
    ['a plain request', [], 'memory'],
    ['a page of this origin', [`origin: ${origin}`], 'memory'],
    ['a page of a trusted origin', [`origin: ${trusted}`, 'sec-fetch-site: cross-site'], 'memory'],
    ['a page of a foreign origin', ['origin: https://evil.example'], 'memory'],
    ['a page without an origin', ['origin: null'], 'memory'],
    ['two origins', [`origin: ${trusted}`, `origin: ${trusted}`], 'memory'],
    ['other cookies around it', ['cookie: theme=dark'], 'memory'],
    ['a cookie that a sub-domain planted beside it', ['cookie: __Host-floorpass_session=planted'], 'edge'],
    ['a body', ['content-length: 0'], 'edge'],
  ])('%s gets the answer of the edge, to the byte', async (_, lines, by) => {
    const ask = (path: string) => exchange([`GET ${path} HTTP/1.1`, host, `cookie: ${cookie}`, ...lines])
    // A query takes the long way and changes nothing else.
    const slow = await ask('/auth/get-session?by=edge')
    const before = await edgeAnswers()
    const fast = await ask('/auth/get-session')
    expect(comparable(fast)).toBe(comparable(slow))
    expect(fast).toMatch(/x-request-id: [\da-f]{8}-[\da-f]{4}-7/)
    expect(await edgeAnswers()).toBe(before + (by === 'edge' ? 1 : 0))
  })

  test.each([
    ['HEAD', 'HEAD /auth/get-session', host],
    ['POST', 'POST /auth/get-session', host],
    ['another path', 'GET /auth/get-session/', host],
    ['a host that is none', 'GET /auth/get-session', 'host: a b'],
  ])('%s is left to the edge', async (_, request, hostLine) => {
    const answer = await exchange([`${request} HTTP/1.1`, hostLine, `cookie: ${cookie}`, `origin: ${origin}`])
    expect(answer).not.toContain('ada@example.test')
  })

  test('a session that was signed out is null, and its cookie is cleared', async () => {
    const own = await signInAgain()
    const ask = () => exchange(['GET /auth/get-session HTTP/1.1', host, `cookie: ${own}`])
    for (let count = 0; count < 2; count += 1) expect(await ask()).toContain('ada@example.test')
    await exchange(['POST /auth/sign-out HTTP/1.1', host, `cookie: ${own}`, `origin: ${origin}`])
    const answer = await ask()
    expect(answer).toMatch(/\r\n\r\nnull$/)
    expect(answer).toContain('Max-Age=0')
  })
})
