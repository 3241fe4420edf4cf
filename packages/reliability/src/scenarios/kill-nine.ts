import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@floorpass/db'
import { findPartialWrites, withDatabase } from '../check-database.ts'
import { createEventReader, eventKey, findEventProblems } from '../event-reader.ts'
import { outboxOf, signIn } from '../person.ts'
import { expectThat, formatRate, type Outcome, type Scenario, type Workplace } from '../scenario.ts'
import { freePort, startService } from '../service-process.ts'
import { createWriters, type WriteHistory, writerCount } from '../writers.ts'

/** A round fails when no write is acknowledged for this long. */
const longestSilenceMs = 180_000

export const killNineEmbedded: Scenario = {
  name: 'kill-nine-embedded',
  promise:
    'The process is killed (kill -9) repeatedly while users sign up, verify their email, sign in, create organizations and reset passwords on the embedded database (T193). Every acknowledged write is there, none is partial, and a reader of the feed gets the events of each, once and in order.',
  needs: [],
  run: (workplace) => killLoop(workplace, null),
}

export const killNinePostgres: Scenario = {
  name: 'kill-nine-postgres',
  promise: 'The same on PostgreSQL, where the service and the postmaster are killed in turn.',
  needs: ['postgres'],
  run: async (workplace) => killLoop(workplace, await workplace.postgres()),
}

async function killLoop(
  { quick, folder, say }: Workplace,
  cluster: Awaited<ReturnType<Workplace['postgres']>> | null,
): Promise<Outcome> {
  const environment = {
    DATA_DIR: await folder(),
    PORT: String(await freePort()),
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    SERVICE_KEYS: eventKey,
    ...(cluster && { DATABASE_URL: await cluster.createDatabase() }),
  }
  const target = { url: `http://127.0.0.1:${environment.PORT}`, origin: `http://127.0.0.1:${environment.PORT}` }
  const writers = createWriters(target, outboxOf(environment.DATA_DIR))
  const { histories, acknowledged } = writers
  const reader = createEventReader(target)
  reader.start()
  const rounds = quick ? 2 : cluster ? 40 : 20
  const starts: number[] = []
  const problems: string[] = []
  const began = Date.now()
  for (let round = 0; round < rounds; round += 1) {
    const started = Date.now()
    const service = await startService(environment)
    starts.push(Date.now() - started)
    const before = acknowledged()
    writers.start()
    for (const end = Date.now() + longestSilenceMs; acknowledged() < before + 3 && Date.now() < end; ) await delay(5)
    expectThat(
      problems,
      acknowledged() >= before + 3,
      `kill ${round + 1}: ${acknowledged() - before} writes were acknowledged in time`,
    )
    await delay(Math.random() * 1500)
    if (cluster && round % 2 === 1) await cluster.stop('kill -9')
    else await service.end('SIGKILL')
    await writers.stop()
    if (cluster && round % 2 === 1) {
      await cluster.start()
      await service.end('SIGKILL')
    }
    const seconds = Math.round((Date.now() - started) / 1000)
    say(`kill ${round + 1} of ${rounds}: ${acknowledged() - before} writes acknowledged before it, ${seconds} s`)
  }
  const ms = Date.now() - began

  // After a last start, users must be able to sign in with the acknowledged password.
  const last = await startService(environment)
  const sample = histories.filter(({ verified }) => verified).slice(-20)
  for (const history of sample) {
    const [withOld, withNew] = [
      (await signIn(target, history)).status,
      (await signIn(target, { ...history, password: `${history.password} again` })).status,
    ]
    const isValid = history.resetTo === null ? withOld === 200 || withNew === 200 : withNew === 200 && withOld === 401
    expectThat(problems, isValid, `${history.email} cannot sign in with the acknowledged password: ${withOld}, ${withNew}`)
  }
  await reader.stop()
  await reader.readRest()
  const { code } = await last.end('SIGTERM')
  const [lost, partial, wrongEvents] = await withDatabase(environment, async (db) => [
    await findLost(db, histories),
    await findPartialWrites(db),
    await findEventProblems(db, reader.events),
  ])
  const requestedEmails = new Set(histories.map(({ email }) => email))
  const unexpectedUsers = await withDatabase(
    environment,
    async (db) => (await db.user.findMany()).filter(({ email }) => !requestedEmails.has(email)).length,
  )
  problems.push(...lost.map((what) => `lost: ${what}`), ...partial, ...reader.problems, ...wrongEvents)
  expectThat(problems, unexpectedUsers === 0, `${unexpectedUsers} users that no request created`)
  expectThat(problems, code === 0, `the service exited with code ${code}`)
  return {
    load: `${formatRate(writers.requests(), ms)} (starts included), all writes, from ${writerCount} writers`,
    faults: cluster
      ? `${Math.ceil(rounds / 2)} × kill -9 of the service, ${Math.floor(rounds / 2)} × of the postmaster`
      : `${rounds} × kill -9 of the service`,
    requests: writers.requests(),
    lost: `${lost.length} of ${acknowledged()} acknowledged writes lost; ${partial.length} partial writes; ${wrongEvents.length} faults in ${reader.events.length} events`,
    recovery: `served at most ${(Math.max(...starts) / 1000).toFixed(1)} s after its start`,
    problems,
  }
}

async function findLost(db: Database, histories: readonly WriteHistory[]): Promise<string[]> {
  const users = new Map(
    (await db.user.findMany({ include: { memberships: { include: { organization: true } } } })).map((user) => [user.email, user]),
  )
  const resets = new Set(
    (await db.verification.findMany({ where: { purpose: 'reset-password', usedAt: { not: null } } })).map(({ userId }) => userId),
  )
  return histories.flatMap(({ email, signedUp, verified, organizations, resetTo }) => {
    const user = users.get(email)
    if (!user) return signedUp ? [`sign-up of ${email}`] : []
    const owned = new Set(user.memberships.filter(({ role }) => role === 'owner').map(({ organization }) => organization.slug))
    return [
      ...(verified && !user.emailVerified ? [`verification of ${email}`] : []),
      ...organizations.filter((slug) => !owned.has(slug)).map((slug) => `organization ${slug}`),
      ...(resetTo !== null && !resets.has(user.id) ? [`reset of ${email}`] : []),
    ]
  })
}
