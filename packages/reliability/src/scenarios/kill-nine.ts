import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@floorpass/db'
import { ask, cookiesOf, newPerson, outboxOf, type Person, signIn, signUp } from '../person.ts'
import { expectThat, type Outcome, rate, type Scenario, type Workplace } from '../scenario.ts'
import { freePort, startService } from '../service-process.ts'
import { halfMade, withStored } from '../stored.ts'

/** One person's way through every write that makes something; what was acknowledged of it. */
type Life = Person & { signedUp: boolean; proved: boolean; organizations: string[]; resetTo: string | null }

const writers = 4
/** No loop waits for ever: a round in which nobody gets anything acknowledged for so long has failed. */
const longestSilenceMs = 180_000

export const killNineEmbedded: Scenario = {
  name: 'kill-nine-embedded',
  promise:
    'The process is killed (kill -9) again and again while people sign up, prove their address, sign in, found organizations and reset passwords on the embedded database (T193): every acknowledged write is there, nothing is half made.',
  needs: [],
  run: (workplace) => killLoop(workplace, null),
}

export const killNinePostgres: Scenario = {
  name: 'kill-nine-postgres',
  promise: 'The same on PostgreSQL, killing the service and the postmaster in turn.',
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
    ...(cluster && { DATABASE_URL: await cluster.createDatabase() }),
  }
  const target = { url: `http://127.0.0.1:${environment.PORT}`, origin: `http://127.0.0.1:${environment.PORT}` }
  const mailbox = outboxOf(environment.DATA_DIR)
  const lives: Life[] = []
  const asked = new Set<string>()
  const rounds = quick ? 2 : cluster ? 40 : 20
  const starts: number[] = []
  const problems: string[] = []
  let requests = 0
  let writing = 0

  /** Goes on until something does not answer as it should: the kill. */
  const live = async () => {
    for (;;) {
      const life: Life = { ...newPerson('life'), signedUp: false, proved: false, organizations: [], resetTo: null }
      asked.add(life.email)
      lives.push(life)
      const done = async (path: string, body: unknown, cookie?: string) => {
        requests += 1
        const reply = await ask(target, 'POST', path, { body, cookie })
        if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
        return reply
      }
      requests += 1
      if ((await signUp(target, life)).status !== 200) return
      life.signedUp = true
      await done('/auth/verify-email', { token: await patiently(life, 'verify-email') })
      life.proved = true
      requests += 1
      const cookie = cookiesOf(await signIn(target, life))
      for (let count = 0; count < 3; count += 1) {
        const slug = randomUUID()
        await done('/auth/organization/create', { name: 'Desk', slug }, cookie)
        life.organizations.push(slug)
      }
      await done('/auth/forget-password', { email: life.email })
      const newPassword = `${life.password} again`
      await done('/auth/reset-password', { token: await patiently(life, 'reset-password'), newPassword })
      life.resetTo = newPassword
    }
  }
  const patiently = async ({ email }: Person, page: string) => {
    while (writing > 0) {
      const tokens = await mailbox.tokens(email, page)
      if (tokens.length > 0) return tokens.at(-1)
      await delay(20)
    }
    throw new Error('killed')
  }
  const acknowledged = () =>
    lives.reduce(
      (sum, { signedUp, proved, organizations, resetTo }) =>
        sum + Number(signedUp) + Number(proved) + organizations.length + Number(resetTo !== null),
      0,
    )

  const began = Date.now()
  for (let round = 0; round < rounds; round += 1) {
    const started = Date.now()
    const service = await startService(environment)
    starts.push(Date.now() - started)
    const before = acknowledged()
    writing += 1
    // One refusal, such as a 503 of a slow start, ends a life and not its writer: were all to stop, nobody would write what is waited for.
    const work = Array.from({ length: writers }, async () => {
      for (; writing > 0; await delay(20)) await live().catch(() => {})
    })
    for (const end = Date.now() + longestSilenceMs; acknowledged() < before + 3 && Date.now() < end; ) await delay(5)
    expectThat(
      problems,
      acknowledged() >= before + 3,
      `kill ${round + 1}: ${acknowledged() - before} writes were acknowledged in time`,
    )
    await delay(Math.random() * 1500)
    // The postmaster dies under a service that lives; its writers see 503 and stop.
    if (cluster && round % 2 === 1) await cluster.stop('kill -9')
    else await service.end('SIGKILL')
    writing -= 1
    await Promise.all(work)
    if (cluster && round % 2 === 1) {
      await cluster.start()
      await service.end('SIGKILL')
    }
    const seconds = Math.round((Date.now() - started) / 1000)
    say(`kill ${round + 1} of ${rounds}: ${acknowledged() - before} writes acknowledged before it, ${seconds} s`)
  }
  const ms = Date.now() - began

  // As an operator would: one more start, and people sign in with the password that they were told counts.
  const last = await startService(environment)
  const sample = lives.filter(({ proved }) => proved).slice(-20)
  for (const life of sample) {
    const [withOld, withNew] = [
      (await signIn(target, life)).status,
      (await signIn(target, { ...life, password: `${life.password} again` })).status,
    ]
    const known = life.resetTo === null ? withOld === 200 || withNew === 200 : withNew === 200 && withOld === 401
    expectThat(problems, known, `${life.email} cannot sign in as it was told: ${withOld}, ${withNew}`)
  }
  const { code } = await last.end('SIGTERM')
  const [lost, halves] = await withStored(environment, async (db) => [await lostOf(db, lives), await halfMade(db)])
  const strangers = await withStored(
    environment,
    async (db) => (await db.user.findMany()).filter(({ email }) => !asked.has(email)).length,
  )
  problems.push(...lost.map((what) => `lost: ${what}`), ...halves)
  expectThat(problems, strangers === 0, `${strangers} users that nobody asked for`)
  expectThat(problems, code === 0, `the service ended with code ${code}`)
  return {
    load: `${rate(requests, ms)} (starts included), each a write, from ${writers} writers`,
    faults: cluster
      ? `${Math.ceil(rounds / 2)} × kill -9 of the service, ${Math.floor(rounds / 2)} × of the postmaster`
      : `${rounds} × kill -9 of the service`,
    requests,
    lost: `${lost.length} of ${acknowledged()} acknowledged writes lost; ${halves.length} half-made`,
    recovery: `served ${(Math.max(...starts) / 1000).toFixed(1)} s after its start, at the longest`,
    problems,
  }
}

async function lostOf(db: Database, lives: readonly Life[]): Promise<string[]> {
  const users = new Map(
    (await db.user.findMany({ include: { memberships: { include: { organization: true } } } })).map((user) => [user.email, user]),
  )
  const resets = new Set(
    (await db.verification.findMany({ where: { purpose: 'reset-password', usedAt: { not: null } } })).map(({ userId }) => userId),
  )
  return lives.flatMap(({ email, signedUp, proved, organizations, resetTo }) => {
    const user = users.get(email)
    if (!user) return signedUp ? [`sign-up of ${email}`] : []
    const owned = new Set(user.memberships.filter(({ role }) => role === 'owner').map(({ organization }) => organization.slug))
    return [
      ...(proved && !user.emailVerified ? [`proof of ${email}`] : []),
      ...organizations.filter((slug) => !owned.has(slug)).map((slug) => `organization ${slug}`),
      ...(resetTo !== null && !resets.has(user.id) ? [`reset of ${email}`] : []),
    ]
  })
}
