import { join } from 'node:path'
import { policy } from '@floorpass/api'
import { openDatabase } from '@floorpass/db'
import { outboxOf, signedInPerson } from '@floorpass/reliability'
import { createBrowser } from '@floorpass/testing/browser'
import { eventually } from '@floorpass/testing/eventually'
import { addPasskey, signInWithPasskey } from '@floorpass/testing/passkeys'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { expect, test } from 'vitest'

const rounds = 3
const people = 3
const port = await freePort()
const origin = `http://localhost:${port}`
const environment = {
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  PORT: String(port),
  BASE_URL: origin,
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'warn',
}

/** A browser that talks to the process. */
const openTab = () => createBrowser({ fetch: (request) => fetch(request) } as Parameters<typeof createBrowser>[0], origin)

type Person = { email: string; authenticator: SoftwareAuthenticator; acknowledged: number }

async function createPerson(url: string): Promise<Person> {
  const { email, cookie } = await signedInPerson({ url, origin }, outboxOf(environment.DATA_DIR))
  const tab = openTab()
  const [name = '', value = ''] = cookie.split(';')[0]?.split(/=(.*)/) ?? []
  tab.cookies.set(name, value)
  const authenticator = createSoftwareAuthenticator()
  const registered = await addPasskey(
    { get: tab.get, post: tab.post },
    { ...authenticator, register: (options, deviation) => authenticator.register(options, { ...deviation, origin }) },
  )
  expect(registered.status).toBe(200)
  return { email, authenticator, acknowledged: 0 }
}

async function signInUntilGone(person: Person): Promise<void> {
  for (;;) {
    try {
      const { status } = await signInWithPasskey(openTab(), person.authenticator, { origin })
      if (status === 200) person.acknowledged += 1
    } catch {
      return
    }
  }
}

test(`after ${rounds} times kill -9, each used challenge has its session, its event and its counter`, {
  timeout: 120_000,
}, async () => {
  let server = await startServer(environment)
  const crowd = await Promise.all(Array.from({ length: people }, () => createPerson(server.url)))
  const total = () => crowd.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  for (let round = 0; round < rounds; round += 1) {
    const before = total()
    const work = crowd.map(signInUntilGone)
    await eventually(() => expect(total()).toBeGreaterThan(before))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500))
    expect((await server.end('SIGKILL')).signal).toBe('SIGKILL')
    await Promise.all(work)
    server = await startServer(environment)
  }
  for (const { authenticator } of crowd) expect((await signInWithPasskey(openTab(), authenticator, { origin })).status).toBe(200)
  expect((await server.end('SIGTERM')).code).toBe(0)

  const { db, close } = await openDatabase(
    'DATABASE_URL' in environment
      ? { kind: 'postgres', url: String(environment.DATABASE_URL) }
      : { kind: 'embedded', directory: join(environment.DATA_DIR, 'database') },
  )
  const users = await db.user.findMany({ include: { sessions: true, passkeys: true, auditEvents: true } })
  const used = await db.verification.count({ where: { purpose: 'passkey-authentication', usedAt: { not: null } } })
  await close()

  const byPasskey = users.map(({ email, sessions, passkeys, auditEvents }) => ({
    email,
    sessions: sessions.filter(({ authenticationMethods }) => authenticationMethods.includes('hwk')),
    events: auditEvents.filter(({ action, details }) => action === 'sign-in' && JSON.stringify(details).includes('passkey')),
    counter: passkeys[0]?.counter,
    lastUsedAt: passkeys[0]?.lastUsedAt,
  }))
  expect(byPasskey.reduce((sum, { events }) => sum + events.length, 0)).toBe(used)
  for (const { email, sessions, events, counter, lastUsedAt } of byPasskey) {
    const person = crowd.find((one) => one.email === email)
    // The oldest sessions make room.
    expect(sessions).toHaveLength(Math.min(events.length, policy.sessionsPerUser))
    expect(events.length).toBeGreaterThan(person?.acknowledged ?? 0)
    expect(counter).toBe(BigInt(person?.authenticator.credentials[0]?.counter ?? -1))
    expect(lastUsedAt).not.toBeNull()
  }
})
