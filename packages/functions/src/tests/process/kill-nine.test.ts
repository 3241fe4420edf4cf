import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox } from '@floorpass/api'
import { type Database, openDatabase } from '@floorpass/db'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const rounds = 4
const writers = 4

const environment = {
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  PORT: String(await freePort()),
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'warn',
}

/** Signs users up until the server is gone. Records every email, and those that the server acknowledged. */
async function writeUntilGone(url: string, name: string, requested: string[], acknowledged: string[]): Promise<void> {
  for (let count = 0; ; count += 1) {
    const email = `${name}-${count}@example.test`
    requested.push(email)
    try {
      const answer = await fetch(`${url}/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Ada', email, password: 'plum kettle orbit' }),
      })
      await answer.text()
      if (answer.status === 200) acknowledged.push(email)
    } catch {
      return
    }
  }
}

/** Every address with a queued or a delivered mail. */
async function mailedAddresses(db: Database): Promise<Set<string>> {
  const secretBox = createSecretBox([(await readFile(join(environment.DATA_DIR, 'auth-secret'), 'utf8')).trim()])
  const queued = (await db.queuedMail.findMany()).map(
    ({ id, mailSealed }) => JSON.parse(secretBox.open(mailSealed, ['queued_mails.mail_sealed', id])).to as string,
  )
  const outbox = join(environment.DATA_DIR, 'outbox')
  const files = (await readdir(outbox)).filter((name) => name.endsWith('.json'))
  const sent = await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(outbox, name), 'utf8')).to as string))
  return new Set([...queued, ...sent])
}

test(`T193: after ${rounds} times kill -9, every acknowledged sign-up is complete, and no other is there in part`, {
  timeout: 120_000,
}, async () => {
  const requested: string[] = []
  const acknowledged: string[] = []
  const killedAfter: number[] = []

  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer(environment)
    const before = acknowledged.length
    const work = Array.from({ length: writers }, (_, writer) =>
      writeUntilGone(server.url, `round-${round}-writer-${writer}`, requested, acknowledged),
    )
    // At a random moment, after the first acknowledged sign-up.
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(before))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1000))
    const { signal } = await server.end('SIGKILL')
    expect(signal).toBe('SIGKILL')
    await Promise.all(work)
    killedAfter.push(acknowledged.length - before)
  }

  // Starts again after the last kill, as an operator would, and stops cleanly.
  const last = await startServer(environment)
  expect((await fetch(`${last.url}/readyz`)).status).toBe(200)
  expect((await last.end('SIGTERM')).code).toBe(0)

  const { db, close } = await openDatabase(
    'DATABASE_URL' in environment
      ? { kind: 'postgres', url: String(environment.DATABASE_URL) }
      : { kind: 'embedded', directory: join(environment.DATA_DIR, 'database') },
  )
  const users = await db.user.findMany({ include: { accounts: true, verifications: true, auditEvents: true } })
  const mailed = await mailedAddresses(db)
  const events = await db.auditEvent.count()
  await close()

  expect(killedAfter.every((count) => count > 0)).toBe(true)
  const known = new Set(users.map(({ email }) => email))
  expect(acknowledged.filter((email) => !known.has(email))).toEqual([])
  expect([...known].filter((email) => !requested.includes(email))).toEqual([])
  // Includes sign-ups whose answer was lost: each is complete or absent.
  for (const { email, accounts, verifications, auditEvents } of users) {
    const parts = [
      accounts.map(({ providerId }) => providerId),
      accounts.every(({ passwordHash }) => passwordHash?.startsWith('$argon2id$')),
      verifications.length,
      auditEvents.length,
    ]
    expect([email, ...parts, mailed.has(email)]).toEqual([email, ['credential'], true, 1, 1, true])
  }
  expect(events).toBe(users.length)
  expect([...mailed].filter((email) => !known.has(email))).toEqual([])
  console.info(
    `kill -9: ${rounds} rounds, ${acknowledged.length} acknowledged (${killedAfter.join(', ')}), ${users.length} stored, ${requested.length} requested`,
  )
})
