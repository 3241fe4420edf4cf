import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { appRouter, catalogue } from '@floorpass/api'
import type { Database } from '@floorpass/db'
import { createOutbox } from '@floorpass/email'
import fc from 'fast-check'
import { type Cookies, type HostileRequest, hostileRequests, type Operation, operationsOf } from './hostile-requests.ts'

/**
 * A server in local mode with RATE_LIMIT=off. `db` is null when no second process can open its database.
 * `settledMemory` returns its memory after a full collection (memory-probe.ts).
 */
export type FuzzTarget = {
  url: string
  pid: number
  dataDir: string
  db: Database | null
  settledMemory?: () => Promise<NodeJS.MemoryUsage>
}

/** Megabytes of the server. `live` counts objects and buffers. */
type Memory = { resident: number; live: number }

export type FuzzReport = {
  seed: number
  requests: number
  seconds: number
  /** Number of answers by status. 0 is a connection closed without an answer. */
  statuses: Record<string, number>
  /** Resident megabytes: the medians of the second fifth and of the last fifth of the run. */
  memory: { warm: number; end: number }
  /** Memory after a full collection, after the first fifth and after the last request. Null without a memory probe. */
  settled: { warm: Memory; end: Memory } | null
  /** Violations, each with the number and bytes of its request. */
  violations: string[]
}

/** Settings that turn on the parsers of forwarded addresses, trace headers and the metrics token. */
export const fuzzEnvironment = {
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'warn',
  TRUST_PROXY: '127.0.0.1/32',
  METRICS_TOKEN: 'what-only-prometheus-knows',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
}

const password = 'violet harbor ladder 58'
const pages = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/two-factor',
  '/undo-email-change',
  '/delete-account',
  '/accept-invitation',
  '/dashboard',
  '/settings',
  '/settings/profile',
  '/settings/security',
  '/settings/trading',
  '/settings/organizations',
  '/logout',
  '/unknown',
  '/assets/unknown.js',
  '/dev/mailbox',
  '/dev/mails',
  '/dev/mails/verify-email',
]
const others = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/tests/check-database',
  '/tests/unknown',
  '/auth',
  '/auth/unknown',
  '/trpc',
  '/trpc/unknown',
  '/trpc/sessions.get,signIn.signOut?batch=1',
]
const batch = 250
const mebibyte = 1024 * 1024
const atOnce = 32
const slowSeconds = 15

/** Sends hostile requests to every route. The same seed sends the same requests. Server faults become violations, not errors. */
export async function fuzz(
  target: FuzzTarget,
  { seed, requests, onProgress }: { seed: number; requests: number; onProgress?: (line: string) => void },
): Promise<FuzzReport> {
  const port = Number(new URL(target.url).port)
  const origin = `http://localhost:${port}`
  const operations = await listOperations(target.url)
  const victim = await createUser(target, origin, `victim-${seed}@example.test`)
  await call(origin, victim, '/auth/organization/create', { name: 'Desk', slug: `victim-${seed}` })
  const before = await snapshot(target, origin, victim)
  let attacker = await createUser(target, origin, `attacker-${seed}@example.test`)

  const statuses: Record<string, number> = {}
  const violations: string[] = []
  const memory: number[] = []
  const settle = async (): Promise<Memory | null> => {
    const usage = await target.settledMemory?.()
    return usage ? { resident: usage.rss / mebibyte, live: (usage.heapUsed + usage.external) / mebibyte } : null
  }
  const warmUp = Math.ceil(requests / 5 / batch) * batch
  let warmMemory: Memory | null = null
  const started = performance.now()
  for (let sent = 0; sent < requests; sent += batch) {
    attacker = await ensureSignedIn(origin, attacker, `attacker-${seed}@example.test`)
    if (sent === warmUp) warmMemory = await settle()
    const made = makeBatch(operations, origin, { attacker, victim }, seed + sent)
    const queue = made.slice(0, requests - sent).entries()
    const work = async () => {
      for (const [index, request] of queue) {
        const answer = await sendTwiceIfSlow(port, request)
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        const wrong = findViolation(request, answer, origin)
        if (wrong)
          violations.push(
            `request ${sent + index}: ${wrong} (${request.what})\n${quote(request.bytes)}\n→ ${answer.all.slice(0, 600)}`,
          )
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    memory.push(await residentMegabytes(target.pid))
    if ((sent / batch) % 10 === 0)
      onProgress?.(
        `${sent + batch} requests, ${Math.round((performance.now() - started) / 1000)} s, ${memory.at(-1)?.toFixed(0)} MB, ${violations.length} violations`,
      )
    if (violations.length >= 20) break
  }
  const seconds = (performance.now() - started) / 1000
  const endMemory = await settle()

  const after = await snapshot(target, origin, victim)
  if (after !== before) violations.push(`the victim's account was changed:\n${before}\n${after}`)
  violations.push(...(await findUnexpectedRows(target.db, seed)))
  const [warm, end] = [
    median(memory.slice(Math.floor(memory.length / 5), Math.ceil((memory.length * 2) / 5))),
    median(memory.slice(-Math.ceil(memory.length / 5))),
  ]
  const settled = warmMemory && endMemory ? { warm: warmMemory, end: endMemory } : null
  return { seed, requests, seconds, statuses, memory: { warm, end }, settled, violations }
}

async function listOperations(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/auth/openapi.json`)).json()) as Parameters<typeof operationsOf>[0]
  const rest = operationsOf(document)
  const fields = Object.assign({}, ...rest.map((operation) => operation.fields)) as Operation['fields']
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>).map(
    ([name, { _def }]) => ({
      method: _def.type === 'query' ? 'GET' : 'POST',
      path: `/trpc/${name}`,
      fields: _def.type === 'query' ? { input: {} } : fields,
      isPage: false,
    }),
  )
  const page = (method: string, isPage: boolean) => (path: string) => ({ method, path, fields, isPage })
  return [
    ...rest,
    ...rest,
    ...procedures,
    ...pages.map(page('GET', true)),
    ...pages.map(page('POST', true)),
    ...others.map(page('GET', false)),
  ]
}

function makeBatch(operations: readonly Operation[], origin: string, cookies: Cookies, seed: number): HostileRequest[] {
  const one = fc.constantFrom(...operations).chain((operation) => hostileRequests(operation, origin, cookies))
  return fc.sample(one, { seed, numRuns: batch })
}

type RawAnswer = { status: number; headers: string; body: string; all: string; seconds: number }

/** A busy machine delays any answer. A request that costs the server too much is slow again. */
async function sendTwiceIfSlow(port: number, request: HostileRequest): Promise<RawAnswer> {
  const answer = await send(port, request)
  if (answer.seconds <= slowSeconds) return answer
  return { ...answer, seconds: Math.min(answer.seconds, (await send(port, request)).seconds) }
}

async function send(port: number, { bytes, pace, isBroken }: HostileRequest): Promise<RawAnswer> {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // The server may close before it has read the whole request.
  socket.on('error', () => {})
  socket.setTimeout(60_000, () => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // Node drops a half-closed connection, so keep it open until the answer arrives.
  if (pace === 'at once' && isBroken) socket.end(bytes)
  else if (pace === 'at once') socket.write(bytes)
  else {
    const quarter = Math.ceil(bytes.length / 4)
    for (let part = 0; part < (pace === 'slow' ? 4 : 3); part += 1) {
      socket.write(bytes.subarray(part * quarter, (part + 1) * quarter))
      await delay(40)
    }
    if (pace === 'cut off') socket.destroy()
    else if (isBroken) socket.end()
  }
  await closed
  const all = Buffer.concat(chunks).toString('latin1')
  // An interim 100 Continue precedes the answer.
  const answer = all.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const end = answer.indexOf('\r\n\r\n')
  const headers = (end < 0 ? answer : answer.slice(0, end)).toLowerCase()
  const text = end < 0 ? '' : answer.slice(end + 4)
  const body = headers.includes('transfer-encoding: chunked') ? decodeChunks(text) : text
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0),
    headers,
    body,
    all,
    seconds: (performance.now() - started) / 1000,
  }
}

function decodeChunks(text: string): string {
  let [body, rest] = ['', text]
  for (;;) {
    const end = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.slice(0, end), 16)
    if (end < 0 || !(size > 0)) return body
    body += rest.slice(end + 2, end + 2 + size)
    rest = rest.slice(end + 4 + size)
  }
}

/** Returns the violation in an answer, or null. */
function findViolation(
  { method, isBroken }: HostileRequest,
  { status, headers, body, seconds }: RawAnswer,
  origin: string,
): string | null {
  if (status === 0) return isBroken ? null : 'no answer'
  if (status >= 500) return `status ${status}`
  if (seconds > slowSeconds) return `twice ${seconds.toFixed(1)} s or more`
  if (/node_modules|at async|\.ts:\d|prisma|postgres:\/\//i.test(body) && !/^content-type: text\/html/m.test(headers))
    return 'the body leaks internals'
  const allowed = /^access-control-allow-origin: (.*)$/m.exec(headers)?.[1]?.trim()
  if (allowed !== undefined && allowed !== origin && !/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/.test(allowed))
    return `CORS allows ${allowed}`
  // Node refuses an unknown Expect header itself, without a body.
  if (!headers.includes('x-request-id')) return status === 417 && body === '' ? null : 'no x-request-id header'
  if (!headers.includes('x-content-type-options: nosniff')) return 'no nosniff'
  if (method === 'HEAD' || status === 204 || status === 304 || (status >= 300 && status < 400)) return null
  if (status === 200 && body === '' && /^content-length: 0\s*$/m.test(headers)) return null
  const type = /^content-type: (.*)$/m.exec(headers)?.[1] ?? ''
  if (/^text\/(html|css|javascript|plain|x-script)/.test(type)) return null
  if (!type.startsWith('application/json') && !type.startsWith('text/x-')) return `content type ${type}`
  return findErrorViolation(status, body)
}

function findErrorViolation(status: number, body: string): string | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'))
  } catch {
    return 'the body is not JSON'
  }
  if (status < 400) return null
  type Refusal = { code?: string; message?: string; error?: { data?: { key?: string } } }
  const refusals = [parsed as Refusal | Refusal[]].flat()
  const unknown = refusals
    .filter((each) => each.error !== undefined || each.code !== undefined)
    .map(({ code, error }) => error?.data?.key ?? code ?? '')
  if (unknown.length === 0 && !Array.isArray(parsed)) return 'the error has no code'
  const odd = unknown.find((code) => !Object.hasOwn(catalogue, code))
  return odd === undefined ? null : `the code ${odd} is not in the catalogue`
}

const quote = (bytes: Buffer): string => JSON.stringify(bytes.subarray(0, 1500).toString('latin1'))

async function call(origin: string, cookie: string, path: string, body?: unknown) {
  const answer = await fetch(origin.replace('localhost', '127.0.0.1') + path, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { origin, cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
  })
  return {
    status: answer.status,
    cookies: answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? ''),
    text: await answer.text(),
  }
}

async function signInForCookie(origin: string, email: string): Promise<string> {
  const { status, cookies, text } = await call(origin, '', '/auth/sign-in/email', { email, password })
  if (status !== 200) throw new Error(`${email} cannot sign in: ${text}`)
  return cookies.join('; ')
}

async function createUser({ dataDir }: FuzzTarget, origin: string, email: string): Promise<string> {
  await call(origin, '', '/auth/sign-up/email', { name: 'Ada', email, password })
  const outbox = createOutbox({ directory: join(dataDir, 'outbox'), from: '' })
  for (;;) {
    const mail = (await outbox.list()).find(({ to }) => to === email)
    const token = mail && /token=([\w-]+)/.exec((await outbox.read(mail.id))?.text ?? '')?.[1]
    if (token !== undefined) await call(origin, '', '/auth/verify-email', { token })
    if (token !== undefined) break
    await delay(50)
  }
  return signInForCookie(origin, email)
}

/** The attacker's own requests may end its session. */
async function ensureSignedIn(origin: string, cookie: string, email: string): Promise<string> {
  const { text } = await call(origin, cookie, '/auth/get-session')
  return text === 'null' ? signInForCookie(origin, email) : cookie
}

/** Returns what the victim can see of its account, without the events that reading writes. */
async function snapshot({ db }: FuzzTarget, origin: string, cookie: string): Promise<string> {
  const seen = await Promise.all(
    ['/auth/get-session', '/auth/list-accounts', '/auth/organization/list', '/auth/two-factor/get'].map((path) =>
      call(origin, cookie, path),
    ),
  )
  const events = await db?.auditEvent.count({
    where: { user: { email: { startsWith: 'victim-' } }, action: { not: 'export-data' } },
  })
  return JSON.stringify([events, ...seen.map(({ status, text }) => [status, text])])
}

/** Finds accounts outside the setup that were verified, got a session, traded or joined an organization. */
async function findUnexpectedRows(db: Database | null, seed: number): Promise<string[]> {
  if (!db) return []
  const outsiders = { email: { notIn: [`victim-${seed}@example.test`, `attacker-${seed}@example.test`] } }
  const verified = await db.user.count({ where: { ...outsiders, OR: [{ emailVerified: true }, { tradingEnabled: true }] } })
  const sessions = await db.session.count({ where: { user: outsiders } })
  const members = await db.member.count({ where: { user: outsiders } })
  const odd = await db.user.count({ where: { ...outsiders, NOT: { email: { contains: '@' } } } })
  return Object.entries({ verified, sessions, members, odd }).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} unexpected rows: ${name}`],
  )
}

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '0' }))
  return Number(stdout.trim()) / 1024
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
