import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@floorpass/db'
import { createFollower, createVerifier, type FollowerOptions, type Verification } from '@floorpass/server'
import { admin } from '@floorpass/testing/admin-command'
import { createApiKey } from '@floorpass/testing/api-keys'
import { type Browser, createBrowser } from '@floorpass/testing/browser'
import { eventually } from '@floorpass/testing/eventually'
import { mailedToken } from '@floorpass/testing/mailed-text'
import { serviceKey } from '@floorpass/testing/route-samples'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, onTestFinished, test } from 'vitest'
import { openOrders } from './examples/follower.ts'

const audience = 'https://orders.example.test'
const dataDir = await temporaryFolder()
const port = String(await freePort())
const origin = `http://localhost:${port}`
const environment: Record<string, string> = {
  ...(await databaseEnvironment()),
  DATA_DIR: dataDir,
  PORT: port,
  BASE_URL: origin,
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  RATE_LIMIT: 'off',
  SERVICE_KEYS: serviceKey,
  TOKEN_AUDIENCES: audience,
}
let service = await startServer(environment)

/** Another server that verifies tokens. Its way to the feed can be cut. */
async function startBackend(options: Partial<FollowerOptions> = {}) {
  let isCut = false
  const follower = createFollower({
    ...{ serviceUrl: service.url, serviceKey },
    fetch: (input, init) => (isCut ? Promise.reject(new TypeError('no way to the service')) : fetch(input, init)),
    ...options,
  })
  onTestFinished(() => follower.stop())
  follower.start()
  await follower.ready()
  const verifier = createVerifier({ issuer: origin, serviceUrl: service.url, audience, follower })
  return {
    follower,
    verify: async (token: string) => outcome(await verifier.verifyBearer({ headers: { authorization: `Bearer ${token}` } })),
    setCut: (cut: boolean) => {
      isCut = cut
    },
  }
}

function outcome(result: Verification): string {
  if (result.ok) return 'accepted'
  const { status, code, wwwAuthenticate } = result.refusal
  return [status, code, wwwAuthenticate].filter(Boolean).join(' ')
}
const revoked = '401 UNAUTHORIZED Bearer error="invalid_token"'
const behind = '503 SERVICE_UNAVAILABLE'

type Person = { name: string; email: string; password: string }
let people = 0
const browse = () => createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, origin)
async function post(tab: Browser, path: string, body: object = {}): Promise<Record<string, unknown>> {
  const answer = await tab.post(path, body)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as Record<string, unknown>
}
async function signIn(person: Person): Promise<Browser> {
  const tab = browse()
  await post(tab, '/auth/sign-in/email', { email: person.email, password: person.password })
  return tab
}
async function signUp() {
  people += 1
  const person = { name: 'Ada', email: `ada-${people}@example.test`, password: 'plum kettle orbit' }
  await post(browse(), '/auth/sign-up/email', person)
  await post(browse(), '/auth/verify-email', { token: await mailedToken(dataDir, person.email) })
  const tab = await signIn(person)
  const { user, session } = (await tab.get('/auth/get-session')).body as { user: { id: string }; session: { id: string } }
  return { tab, person, userId: user.id, sessionId: session.id }
}
async function tokenOf(tab: Browser): Promise<string> {
  const { body } = await tab.get(`/auth/token?audience=${encodeURIComponent(audience)}`)
  return (body as { token: string }).token
}
/** A token of the same second as a change may be refused: it could be older. */
const eventuallyAccepted = (verify: (token: string) => Promise<string>, tab: Browser) =>
  eventually(async () => expect(await verify(await tokenOf(tab))).toBe('accepted'))

type Signed = Awaited<ReturnType<typeof signUp>>
const revocations: Record<string, (signed: Signed) => Promise<unknown>> = {
  'the user signs out': ({ tab }) => post(tab, '/auth/sign-out'),
  'another session revokes the session': async ({ person, sessionId }) =>
    post(await signIn(person), '/auth/revoke-session', { token: sessionId }),
  'the user is deleted': ({ tab, person }) => post(tab, '/auth/delete-user', { password: person.password }),
}

test.each(Object.entries(revocations))('every follower refuses a token as soon as %s', async (_, revoke) => {
  const [{ follower, verify }, second] = [await startBackend(), await startBackend()]
  const signed = await signUp()
  await eventuallyAccepted(verify, signed.tab)
  const [token, other] = [await tokenOf(signed.tab), await tokenOf((await signUp()).tab)]
  const verifiers = [verify, second.verify]
  for (const each of verifiers) expect(await each(token)).toBe('accepted')
  await revoke(signed)
  for (const each of verifiers) await eventually(async () => expect(await each(token)).toBe(revoked))
  expect(follower.isSessionEnded(signed.sessionId, Date.now())).toBe(true)
  expect(await verify(other)).toBe('accepted')
})

const changes: Record<string, (signed: Signed) => Promise<unknown>> = {
  'a new password starts a hold': ({ tab, person }) =>
    post(tab, '/auth/change-password', { currentPassword: person.password, newPassword: 'basil lantern 44 quarry' }),
  'trading is switched on': ({ tab }) => post(tab, '/auth/update-user', { tradingEnabled: true }),
}

test.each(Object.entries(changes))(
  'a token from before is refused as soon as %s, and a new one is accepted',
  async (_, change) => {
    const { follower, verify } = await startBackend()
    const signed = await signUp()
    await eventuallyAccepted(verify, signed.tab)
    const token = await tokenOf(signed.tab)
    const before = Date.now()
    expect(follower.changedSince(signed.userId, before)).toBe(false)
    await change(signed)
    await eventually(async () => expect(await verify(token)).toBe(revoked))
    expect(follower.changedSince(signed.userId, before)).toBe(true)
    await eventuallyAccepted(verify, signed.tab)
  },
)

test('a token for an organization is refused as soon as the member has another role or is removed', async () => {
  const { verify } = await startBackend()
  const [owner, member] = [await signUp(), await signUp()]
  const { id: organizationId } = await post(owner.tab, '/auth/organization/create', { name: 'Desk', slug: `desk-${Date.now()}` })
  const { userId } = member
  const { id: memberId } = await post(owner.tab, '/auth/organization/member/add', { organizationId, userId, role: 'member' })
  await post(member.tab, '/auth/organization/accept-membership', { organizationId })
  await post(member.tab, '/auth/organization/set-active', { organizationId })
  await eventuallyAccepted(verify, member.tab)
  await eventuallyAccepted(verify, owner.tab)
  const [first, ofOwner] = [await tokenOf(member.tab), await tokenOf(owner.tab)]

  await post(owner.tab, '/auth/organization/update-member-role', { organizationId, memberId, role: 'admin' })
  await eventually(async () => expect(await verify(first)).toBe(revoked))
  await eventuallyAccepted(verify, member.tab)
  const second = await tokenOf(member.tab)
  await post(owner.tab, '/auth/organization/member/remove', { organizationId, memberIdOrEmail: memberId })
  await eventually(async () => expect(await verify(second)).toBe(revoked))
  expect(await verify(ofOwner)).toBe('accepted')
  // Without an organization, the member's session lives.
  await eventuallyAccepted(verify, member.tab)
})

test('a key is ended while it is disabled, and after it is deleted', async () => {
  const { follower } = await startBackend()
  const { tab } = await signUp()
  const { id } = await createApiKey(tab, { permissions: { order: ['read'] } })
  const verifiedAt = Date.now()
  const isEnded = () => follower.isKeyEnded(id, verifiedAt)
  expect(isEnded()).toBe(false)
  await post(tab, '/auth/api-key/update', { keyId: id, enabled: false })
  await eventually(() => expect(isEnded()).toBe(true))
  await post(tab, '/auth/api-key/update', { keyId: id, enabled: true })
  await eventually(() => expect(isEnded()).toBe(false))
  await post(tab, '/auth/api-key/delete', { keyId: id })
  await eventually(() => expect(isEnded()).toBe(true))
})

// An embedded database admits one process: see follower-access.test.ts.
test.runIf('DATABASE_URL' in environment)('an operator who suspends a user ends the tokens of every follower', async () => {
  const [one, two] = [await startBackend(), await startBackend()]
  const { tab, person } = await signUp()
  await eventuallyAccepted(one.verify, tab)
  const token = await tokenOf(tab)
  expect(await two.verify(token)).toBe('accepted')
  const { code, stderr } = await admin(environment, 'suspend', person.email, '--reason', 'a suspicion of the tests', '--yes')
  expect([code, stderr]).toEqual([0, ''])
  for (const { verify } of [one, two]) await eventually(async () => expect(await verify(token)).toBe(revoked))
})

test('a revocation arrives before the long poll would end', async () => {
  const { person, userId } = await signUp()
  let endings = 0
  const { follower } = await startBackend({
    maxAgeMs: 120_000,
    onEvent: ({ type, data }) => {
      if (type === 'session.ended' && data.userId === userId) endings += 1
    },
  })
  const tabs = await Promise.all(Array.from({ length: 5 }, () => signIn(person)))
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  for (const [index, tab] of tabs.entries()) {
    // Another poll, for a type of which no event comes, ends before the follower's own would.
    let isOver = false
    const query = new URLSearchParams({ after: follower.state().cursor ?? '', types: 'key.ended', wait: '20' })
    void fetch(`${service.url}/auth/events?${query}`, {
      headers: { authorization: `Bearer ${serviceKey}` },
      signal: closing.signal,
    })
      .catch(() => {})
      .finally(() => {
        isOver = true
      })
    await post(tab, '/auth/sign-out')
    await eventually(() => expect(endings).toBe(index + 1))
    expect(isOver).toBe(false)
  }
  expect(follower.state().isCurrent).toBe(true)
})

test('the bound refuses every token while the service is away, and no revocation is missed when it is back', async () => {
  const { follower, verify, setCut } = await startBackend({ maxAgeMs: 2_000 })
  const [one, two] = [await signUp(), await signUp()]
  await eventuallyAccepted(verify, one.tab)
  const [ended, kept] = [await tokenOf(one.tab), await tokenOf(two.tab)]
  expect(await verify(ended)).toBe('accepted')
  setCut(true)
  await eventually(() => expect(follower.state().lastError?.message).toContain('no way to the service'))
  await post(one.tab, '/auth/sign-out')
  await service.end('SIGKILL')
  await eventually(async () => expect(await verify(kept)).toBe(behind))
  expect(follower.state()).toMatchObject({ isCurrent: false })
  setCut(false)
  await eventually(() => expect(follower.state().lastError?.message).toContain('fetch failed'))
  expect(await verify(ended)).toBe(behind)

  service = await startServer(environment)
  await eventually(() => expect(follower.state()).toMatchObject({ isCurrent: true, lastError: null }))
  expect(await verify(ended)).toBe(revoked)
  await eventuallyAccepted(verify, two.tab)
  expect(follower.isSessionEnded(two.sessionId, Date.now())).toBe(false)
  await post(two.tab, '/auth/sign-out')
  await eventually(async () => expect(await verify(kept)).toBe(revoked))
})

test('the example of the README refuses a token as soon as its user signs out', async () => {
  const { handler, follower } = await openOrders({ issuer: origin, audience, serviceKey })
  onTestFinished(() => follower.stop())
  const { tab, userId } = await signUp()
  await eventuallyAccepted(async (token) => ((await ask(token)).status === 200 ? 'accepted' : 'refused'), tab)
  const token = await tokenOf(tab)
  async function ask(bearer: string) {
    return handler(new Request(`${audience}/orders`, { headers: { authorization: `Bearer ${bearer}` } }), {})
  }
  expect(await (await ask(token)).json()).toEqual({ owner: userId })
  await post(tab, '/auth/sign-out')
  await eventually(async () => expect((await ask(token)).status).toBe(401))

  const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
  const example = `\`\`\`ts\n${read('examples/follower.ts')}\`\`\``
  expect(read('../../../../server/README.md')).toContain(example)
})

test('knows every session that ended while connections to the database broke and the service was killed', async () => {
  const startedAt = Date.now()
  const { follower } = await startBackend({ maxAgeMs: 30_000 })
  const { person, sessionId: kept } = await signUp()
  const sessions = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const tab = await signIn(person)
      const { session } = (await tab.get('/auth/get-session')).body as { session: { token: string } }
      return { tab, id: session.token }
    }),
  )
  let breaking = true
  const breakUntilDone = async () => {
    for (let round = 0; breaking; round += 1) {
      if (round === 2) {
        await service.end('SIGKILL')
        service = await startServer(environment)
      } else await breakConnections()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const faults = breakUntilDone()
  // A sign-out that was not acknowledged is sent again.
  const signOut = (tab: Browser) => eventually(() => post(tab, '/auth/sign-out'))
  for (const pair of sessions.map((one, index) => [one, sessions[index + 6]]).slice(0, 6))
    await Promise.all(pair.map((one) => one && signOut(one.tab)))
  breaking = false
  await faults
  const missing = () => sessions.filter(({ id }) => !follower.isSessionEnded(id, startedAt)).map(({ id }) => id)
  await eventually(() => expect([follower.state().isCurrent, missing()]).toEqual([true, []]))
  expect(follower.isSessionEnded(kept, startedAt)).toBe(false)
})

/** On PostgreSQL, as a restart of it does. The embedded database is killed with the service. */
async function breakConnections(): Promise<void> {
  const { DATABASE_URL: url } = environment
  if (url === undefined) return
  const { db, close } = await openDatabase({ kind: 'postgres', url })
  await db.$queryRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
  await close()
}
