import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Service } from '@floorpass/service'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSessionFastPath } from '../../session-fast-path.ts'

const origin = 'https://localhost:4443'
const trusted = 'https://app.example.com'
const dataDir = await temporaryFolder()
const database = await databaseEnvironment()
const server = await startServer({
  ...database,
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

describe('get-session of a session that is not in memory', () => {
  const ask = (own: string, path = '/auth/get-session') => exchange([`GET ${path} HTTP/1.1`, host, `cookie: ${own}`])

  test('gets the answer of the edge, to the byte, by one look at the database', async () => {
    const own = await signInAgain()
    const before = await edgeAnswers()
    const first = await ask(own)
    expect(await edgeAnswers()).toBe(before)
    expect(comparable(first)).toBe(comparable(await ask(own, '/auth/get-session?by=edge')))
    expect(first).toContain('ada@example.test')
  })

  describe.runIf(database.DATABASE_URL)('and that must be refused or written', () => {
    const query = async (sql: string) => {
      const client = new pg.Client(database.DATABASE_URL)
      await client.connect()
      await client.query(`SET TIME ZONE 'UTC'`)
      return (await client.query(sql).finally(() => client.end())).rows
    }

    const newest = 'WHERE id = (SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1)'
    const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)

    test.each([
      ['its user is suspended', 'UPDATE users SET suspended_at = now()'],
      ['it has ended', `UPDATE sessions SET expires_at = now() - interval '1 second' ${newest}`],
      [
        'it has ended, and was due to be extended',
        `UPDATE sessions SET expires_at = now() - interval '1 second', updated_at = now() - interval '2 days' ${newest}`,
      ],
      ['it was revoked', `DELETE FROM sessions ${newest}`],
    ])('is refused as at the edge, to the byte, and logged: %s', async (_, change) => {
      const own = await signInAgain()
      await query(change)
      onTestFinished(async () => void (await query('UPDATE users SET suspended_at = NULL')))
      const before = await edgeAnswers()
      const fast = await ask(own)
      expect(bodyOf(fast)).toBe('null')
      expect(fast).toContain('Max-Age=0')
      expect(await edgeAnswers()).toBe(before + 1)
      expect(comparable(fast)).toBe(comparable(await ask(own, '/auth/get-session?by=edge')))
    })

    test.each([
      ["last_seen_at = now() - interval '1 day'", false],
      ["updated_at = now() - interval '2 days'", true],
      ["updated_at = now() - interval '2 days', last_seen_at = now() - interval '1 day'", true],
    ])('is written, and its cookie with it when it was extended: %s', async (change, isExtended) => {
      const own = await signInAgain()
      await query(`UPDATE sessions SET ${change} ${newest}`)
      const answer = await ask(own)
      expect(bodyOf(answer)).toContain('ada@example.test')
      expect(answer.includes(`set-cookie: ${own}`)).toBe(isExtended)
      expect(
        await query(
          `SELECT count(*)::int AS old FROM sessions WHERE least(last_seen_at, updated_at) < now() - interval '1 hour'`,
        ),
      ).toEqual([{ old: 0 }])
    })
  })
})

describe('a bug on the short way', () => {
  const ask = async (broken: (service: Service) => Partial<Service>) => {
    const app = await createTestApp()
    const own = createServer(createSessionFastPath({ ...app.service, ...broken(app.service) }, () => {})).listen(0, '127.0.0.1')
    onTestFinished(() => own.closeAllConnections())
    await once(own, 'listening')
    const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/auth/get-session`
    const headers = { cookie: 'floorpass_session=x' }
    return { app, answer: fetch(url, { headers, signal: AbortSignal.timeout(5_000) }) }
  }
  const bug = (): never => {
    throw new Error('a bug')
  }

  test('is an answer of 500', async () => {
    const { answer } = await ask(({ deps }) => {
      const limiter = {
        ...deps.limiter,
        get consume() {
          return bug()
        },
      }
      return { deps: { ...deps, limiter } }
    })
    const { status } = await answer
    expect(status).toBe(500)
  })

  test('ends its connection alone where there can be no answer, and is logged', async () => {
    const { app, answer } = await ask(() => ({ logFor: bug }))
    await expect(answer).rejects.toThrow('fetch failed')
    expect(app.unforeseen()).toMatchObject([{ msg: 'request failed', err: { message: 'a bug' } }])
  })
})
