import { setTimeout as delay } from 'node:timers/promises'
import { ask, type Mailbox, newPerson, type Person, type Reply, signedInPerson, signIn, signUp, type Target } from './person.ts'

/** One request of the load. `trouble` is null for a correct answer and for a proper 503. */
export type Attempt = { kind: string; at: number; ms: number; status: number | null; trouble: string | null }

export type Traffic = {
  attempts: Attempt[]
  signedUp: string[]
  /** The last acknowledged and the last requested number in the name of each account. */
  names: { email: string; acknowledged: number; requested: number }[]
  stop(): Promise<void>
}

/** Starts a constant load: eight callers read sessions and pages, change profiles, sign up and sign in. Checks every answer. */
export async function startTraffic(target: Target, mailbox: Mailbox): Promise<Traffic> {
  const [reader, writer, signer] = await Promise.all([
    signedInPerson(target, mailbox),
    signedInPerson(target, mailbox),
    signedInPerson(target, mailbox),
  ])
  const attempts: Attempt[] = []
  const signedUp: string[] = []
  const name = { email: writer.email, acknowledged: 0, requested: 0 }
  let running = true

  const call = async (
    kind: string,
    send: () => Promise<Reply>,
    check: (reply: Reply) => string | null,
  ): Promise<Reply | null> => {
    const at = Date.now()
    const started = performance.now()
    const reply = await send().catch((error: Error) => error)
    const ms = performance.now() - started
    if (reply instanceof Error) {
      attempts.push({ kind, at, ms, status: null, trouble: `no answer: ${describeFailure(reply)}` })
      return null
    }
    const trouble = checkCookies(reply) ?? (reply.status === 503 ? checkOutage(reply) : check(reply))
    attempts.push({ kind, at, ms, status: reply.status, trouble })
    return reply.status === 200 && trouble === null ? reply : null
  }

  const readSession = () =>
    call(
      'get-session',
      () => ask(target, 'GET', '/auth/get-session', { cookie: reader.cookie }),
      ({ status, body }) =>
        status === 200 && (body?.user as Person | undefined)?.email === reader.email ? null : `${status} without the session`,
    )
  const openDashboard = () =>
    call(
      'dashboard',
      () => ask(target, 'GET', '/dashboard', { cookie: reader.cookie }),
      ({ status, text }) => (status === 200 && text.includes(reader.email) ? null : `${status} for a signed-in person`),
    )
  const tryDashboard = () =>
    call(
      'dashboard, no session',
      () => ask(target, 'GET', '/dashboard'),
      ({ status, headers }) => (status === 302 && headers.get('location')?.startsWith('/login') ? null : `opened with ${status}`),
    )
  const rename = async () => {
    const number = ++name.requested
    const done = await call(
      'update-user',
      () => ask(target, 'POST', '/auth/update-user', { cookie: writer.cookie, body: { name: `Ada ${number}` } }),
      only200,
    )
    if (done) name.acknowledged = number
  }
  const register = async () => {
    const person = newPerson('load')
    if (await call('sign-up', () => signUp(target, person), only200)) signedUp.push(person.email)
  }
  const enter = () => call('sign-in', () => signIn(target, signer), only200)

  const callers = [readSession, readSession, readSession, openDashboard, tryDashboard, rename, register, enter].map(
    async (work) => {
      while (running) {
        await work()
        await delay(5)
      }
    },
  )
  return {
    attempts,
    signedUp,
    names: [name],
    async stop() {
      running = false
      await Promise.all(callers)
    },
  }
}

const only200 = ({ status, text }: Reply) => (status === 200 ? null : `${status} ${text.slice(0, 80)}`)

/** T191: an outage answer is 503 with Retry-After, and in JSON with the code SERVICE_UNAVAILABLE. */
export function checkOutage({ headers, body }: Reply): string | null {
  if (!headers.has('retry-after')) return '503 without Retry-After'
  return body === null || body.code === 'SERVICE_UNAVAILABLE' ? null : `503 with the code ${body.code}`
}

const checkCookies = ({ status, headers }: Reply): string | null =>
  headers.getSetCookie().some((cookie) => /session=;|Max-Age=0/i.test(cookie)) ? `${status} that clears a cookie` : null

export const describeFailure = (error: Error): string => {
  const cause = error.cause as NodeJS.ErrnoException | undefined
  return cause?.code ?? cause?.message ?? error.message
}

const failed = ({ status, trouble }: Attempt): boolean => status === null || status >= 500 || trouble !== null

/** Milliseconds after `since` until each kind of request succeeded and the last failure ended. */
export function recoveryTime(attempts: readonly Attempt[], since: number): number {
  const after = attempts.filter(({ at }) => at >= since)
  const end = ({ at, ms }: Attempt) => at + ms - since
  const kinds = new Set(attempts.map(({ kind }) => kind))
  const firstSuccesses = [...kinds].map((kind) =>
    Math.min(...after.filter((attempt) => attempt.kind === kind && !failed(attempt)).map(end)),
  )
  return Math.max(0, ...firstSuccesses, ...after.filter(failed).map(end))
}

/** Describes the kinds of request that have not succeeded since. */
export function findUnrecovered(attempts: readonly Attempt[], since: number): string[] {
  const kinds = [...new Set(attempts.map(({ kind }) => kind))]
  return kinds.flatMap((kind) => {
    const own = attempts.filter((attempt) => attempt.kind === kind)
    if (own.some((attempt) => attempt.at >= since && !failed(attempt))) return []
    const last = own.at(-1)
    return `${kind}: ${own.filter(({ at }) => at >= since).length} since, the last ${last?.status} ${last?.trouble ?? ''}`
  })
}

/** Waits for the recovery and resolves to its time: `watchMs` at least, 30 seconds at most. */
export async function watchRecovery({ attempts }: Traffic, since: number, watchMs: number): Promise<number> {
  await delay(watchMs)
  const end = since + 30_000
  while (!Number.isFinite(recoveryTime(attempts, since)) && Date.now() < end) await delay(100)
  return recoveryTime(attempts, since)
}

/** Waits for one success of each kind and resolves to the slowest. Recoveries are measured beyond that, as machines differ. */
export async function baselineLatency({ attempts }: Traffic): Promise<number> {
  const kinds = () => new Set(attempts.filter((attempt) => !failed(attempt)).map(({ kind }) => kind)).size
  for (const end = Date.now() + 60_000; kinds() < kindsOfRequest && Date.now() < end; ) await delay(50)
  return Math.max(...attempts.map(({ ms }) => ms))
}
const kindsOfRequest = 6

export function countTroubles(attempts: readonly Attempt[]): string[] {
  const counts = new Map<string, number>()
  for (const { kind, trouble } of attempts) {
    if (trouble === null) continue
    const line = `${kind}: ${trouble}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].sort(([, left], [, right]) => right - left).map(([line, count]) => `${count} × ${line}`)
}
