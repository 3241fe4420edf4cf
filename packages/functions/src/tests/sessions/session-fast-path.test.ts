import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Service } from '@floorpass/service'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
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

/** Sends one request over a raw socket and returns the raw answer. */
const sendRaw = async (lines: string[], body = ''): Promise<string> => {
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
const postJson = async (path: string, body: unknown) => {
  const text = JSON.stringify(body)
  const length = `content-length: ${text.length}`
  return sendRaw([`POST ${path} HTTP/1.1`, host, `origin: ${origin}`, 'content-type: application/json', length], text)
}
const person = { name: 'Ada Lovelace', email: 'ada@example.test', password: 'plum kettle orbit' }

const signInAgain = async () => {
  const answer = await postJson('/auth/sign-in/email', { email: person.email, password: person.password })
  return /set-cookie: (__Host-floorpass_session=[\w-]+)/i.exec(answer)?.[1] ?? ''
}
const signUpAndSignIn = async (): Promise<string> => {
  await postJson('/auth/sign-up/email', person)
  const token = await mailedToken(dataDir, person.email)
  await postJson('/auth/verify-email', { token })
  return signInAgain()
}
const cookie = await signUpAndSignIn()
expect(cookie).not.toBe('')
let markerCount = 0
/** Counts the get-session answers that the edge has logged so far. */
const countEdgeAnswers = async () => {
  markerCount += 1
  await sendRaw([`GET /auth/until-${markerCount} HTTP/1.1`, host])
  await eventually(() => expect(server.stdout()).toContain(`/auth/until-${markerCount}"`))
  return server.stdout().match(/"path":"\/auth\/get-session"/g)?.length ?? 0
}
const getComparable = (answer: string) =>
  answer.replace(/x-request-id: [\w-]{36}/, 'x-request-id: …').replace(/Date: .*/, 'Date: …')

describe('get-session of a cached session', () => {
  test.each<[string, string[], 'memory' | 'edge']>([
    ['a plain request', [], 'memory'],
    ['a page of this origin', [`origin: ${origin}`], 'memory'],
    ['a page of a trusted origin', [`origin: ${trusted}`, 'sec-fetch-site: cross-site'], 'memory'],
    ['a page of a foreign origin', ['origin: https://evil.example'], 'memory'],
    ['a page without an origin', ['origin: null'], 'memory'],
    ['two origins', [`origin: ${trusted}`, `origin: ${trusted}`], 'memory'],
    ['other cookies beside it', ['cookie: theme=dark'], 'memory'],
    ['a cookie that a sub-domain planted', ['cookie: __Host-floorpass_session=planted'], 'edge'],
    ['a body', ['content-length: 0'], 'edge'],
  ])("returns the bytes of the edge's answer for %s", async (_, lines, by) => {
    const ask = (path: string) => sendRaw([`GET ${path} HTTP/1.1`, host, `cookie: ${cookie}`, ...lines])
    // A query skips the fast path and changes nothing else.
    const slow = await ask('/auth/get-session?by=edge')
    const before = await countEdgeAnswers()
    const fast = await ask('/auth/get-session')
    expect(getComparable(fast)).toBe(getComparable(slow))
    expect(fast).toMatch(/x-request-id: [\da-f]{8}-[\da-f]{4}-7/)
    expect(await countEdgeAnswers()).toBe(before + (by === 'edge' ? 1 : 0))
  })

  test.each([
    ['HEAD', 'HEAD /auth/get-session', host],
    ['POST', 'POST /auth/get-session', host],
    ['another path', 'GET /auth/get-session/', host],
    ['an invalid host', 'GET /auth/get-session', 'host: a b'],
  ])('leaves %s to the edge', async (_, request, hostLine) => {
    const answer = await sendRaw([`${request} HTTP/1.1`, hostLine, `cookie: ${cookie}`, `origin: ${origin}`])
    expect(answer).not.toContain('ada@example.test')
  })

  test('answers null and clears the cookie after sign-out', async () => {
    const own = await signInAgain()
    const ask = () => sendRaw(['GET /auth/get-session HTTP/1.1', host, `cookie: ${own}`])
    for (let count = 0; count < 2; count += 1) expect(await ask()).toContain('ada@example.test')
    await sendRaw(['POST /auth/sign-out HTTP/1.1', host, `cookie: ${own}`, `origin: ${origin}`])
    const answer = await ask()
    expect(answer).toMatch(/\r\n\r\nnull$/)
    expect(answer).toContain('Max-Age=0')
  })
})

describe('get-session of a session that is not cached', () => {
  const ask = (own: string, path = '/auth/get-session') => sendRaw([`GET ${path} HTTP/1.1`, host, `cookie: ${own}`])

  test("returns the bytes of the edge's answer with one read of the database", async () => {
    const own = await signInAgain()
    const before = await countEdgeAnswers()
    const first = await ask(own)
    expect(await countEdgeAnswers()).toBe(before)
    expect(getComparable(first)).toBe(getComparable(await ask(own, '/auth/get-session?by=edge')))
    expect(first).toContain('ada@example.test')
  })

  describe.runIf(database.DATABASE_URL)('when the session needs a refusal or a write', () => {
    const query = async (sql: string) => {
      const client = new pg.Client(database.DATABASE_URL)
      await client.connect()
      await client.query(`SET TIME ZONE 'UTC'`)
      return (await client.query(sql).finally(() => client.end())).rows
    }

    const newest = 'WHERE id = (SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1)'
    const getBody = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)

    test.each([
      ['its user is suspended', 'UPDATE users SET suspended_at = now()'],
      ['it has ended', `UPDATE sessions SET expires_at = now() - interval '1 second' ${newest}`],
      [
        'it has ended, and was due to be extended',
        `UPDATE sessions SET expires_at = now() - interval '1 second', updated_at = now() - interval '2 days' ${newest}`,
      ],
      ['it was revoked', `DELETE FROM sessions ${newest}`],
    ])('refuses like the edge, byte for byte, and logs it: %s', async (_, change) => {
      const own = await signInAgain()
      await query(change)
      onTestFinished(async () => void (await query('UPDATE users SET suspended_at = NULL')))
      const before = await countEdgeAnswers()
      const fast = await ask(own)
      expect(getBody(fast)).toBe('null')
      expect(fast).toContain('Max-Age=0')
      expect(await countEdgeAnswers()).toBe(before + 1)
      expect(getComparable(fast)).toBe(getComparable(await ask(own, '/auth/get-session?by=edge')))
    })

    test.each([
      ["last_seen_at = now() - interval '1 day'", false],
      ["updated_at = now() - interval '2 days'", true],
      ["updated_at = now() - interval '2 days', last_seen_at = now() - interval '1 day'", true],
    ])('writes the row, and sends the cookie when it extends the session: %s', async (change, isExtended) => {
      const own = await signInAgain()
      await query(`UPDATE sessions SET ${change} ${newest}`)
      const answer = await ask(own)
      expect(getBody(answer)).toContain('ada@example.test')
      expect(answer.includes(`set-cookie: ${own}`)).toBe(isExtended)
      expect(
        await query(
          `SELECT count(*)::int AS old FROM sessions WHERE least(last_seen_at, updated_at) < now() - interval '1 hour'`,
        ),
      ).toEqual([{ old: 0 }])
    })
  })
})

describe('a bug on the fast path', () => {
  const ask = async (broken: (service: Service) => Partial<Service>) => {
    const app = await createTestApp()
    const own = createServer(createSessionFastPath({ ...app.service, ...broken(app.service) }, () => {})).listen(0, '127.0.0.1')
    onTestFinished(() => own.closeAllConnections())
    await once(own, 'listening')
    const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/auth/get-session`
    const headers = { cookie: 'local-floorpass_session=x' }
    return { app, answer: fetch(url, { headers }) }
  }
  const bug = (): never => {
    throw new Error('a bug')
  }

  test('answers 500', async () => {
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

  test('closes only its own connection when no answer is possible, and logs the error', async () => {
    const { app, answer } = await ask(() => ({ logFor: bug }))
    await expect(answer).rejects.toThrow('fetch failed')
    expect(app.warnings()).toMatchObject([{ msg: 'request failed', err: { message: 'a bug' } }])
  })
})
