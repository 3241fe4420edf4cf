import { createExpirySweep } from '@floorpass/api'
import { routes } from '@floorpass/functions'
import { adminOf } from '@floorpass/testing/admin-command'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { readFeed } from '@floorpass/testing/events'
import { found } from '@floorpass/testing/organization'
import { addressOf, everyProvider, routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

// PostgreSQL itself reports the plan of every statement that the service runs, also of triggers and functions: auto_explain sends it
// to the client. No statement is copied here.

/** A larger table by hand: PLAN_EVENTS=10000000 npx vitest run … */
const events = Number(process.env.PLAN_EVENTS ?? 200_000)
const users = events / 5
/** Of the owner. A larger share would make reading all events of a month cheaper than the index of the user. */
const manyEvents = events / 250
const deferredMails = events / 2

type Node = Record<string, unknown> & { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Node[] }
type Explained = { 'Query Text': string; Plan: Node }

const explained: Explained[] = []

/** Every connection that opens from now on reports its plans. */
function reportPlans(): void {
  const { connect } = pg.Client.prototype
  const settings = { log_min_duration: 0, log_analyze: true, log_timing: false, log_buffers: true, log_nested_statements: true }
  const texts = Object.entries(settings).map(([name, value]) => `SET auto_explain.${name} = ${value}`)
  const statements = [
    "LOAD 'auto_explain'",
    ...texts,
    'SET auto_explain.log_format = json',
    'SET auto_explain.log_level = notice',
  ]
  pg.Client.prototype.connect = function (this: pg.Client, ...parameters: []) {
    this.on('notice', ({ message }) => {
      const json = /plan:\s*(\{[\s\S]*\})$/.exec(message ?? '')?.[1]
      if (json) explained.push(JSON.parse(json))
    })
    this.once('connect', () => void this.query(statements.join(';')))
    return Reflect.apply(connect, this, parameters)
  } as typeof connect
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const number = (value: unknown) => Number(value ?? 0)
/** The catalogue grows with the schema, not with the data. */
const isOfTables = (node: Node) => node['Node Type'].endsWith('Scan') && !String(node['Relation Name']).startsWith('pg_')
const rowsRead = (node: Node) =>
  isOfTables(node)
    ? (node['Actual Rows'] + number(node['Rows Removed by Filter']) + number(node['Rows Removed by Index Recheck'])) *
      node['Actual Loops']
    : 0
const pagesRead = (plan: Node) => number(plan['Shared Hit Blocks']) + number(plan['Shared Read Blocks'])

type Bound = { rows: number; pages: number }

/** Asserts that each statement that `work` ran was a short read, whatever the size of the tables. Returns the indexes that they read. */
async function expectShortReads(work: () => Promise<unknown>, bound: Bound = { rows: 600, pages: 1500 }): Promise<string[]> {
  explained.length = 0
  await work()
  const statements = explained.splice(0)
  expect(statements.length).toBeGreaterThan(0)
  const long = statements.filter(
    ({ Plan }) => nodesOf(Plan).some((node) => rowsRead(node) > bound.rows) || pagesRead(Plan) > bound.pages,
  )
  expect(long.map((statement) => JSON.stringify(statement, null, 1).slice(0, 6000))).toEqual([])
  return statements
    .flatMap(({ Plan }) => nodesOf(Plan))
    .flatMap((node) => (node['Index Name'] ? [String(node['Index Name'])] : []))
}

const fill = (owner: string, organization: string) => [
  `SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB'`,
  `CREATE FUNCTION fill_id(milliseconds bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
     SELECT left(hex, 8) || '-' || substr(hex, 9) || '-7' || right(digits, 3) || '-8000-' || digits
     FROM lpad(to_hex(milliseconds), 12, '0') AS hex, lpad(to_hex(n), 12, '0') AS digits $$`,
  `CREATE TABLE filled AS SELECT n, 'user-' || n AS id, '2026-01-01'::timestamp + n * interval '1 second' AS at FROM generate_series(1, ${users}) n`,
  `INSERT INTO users (id, name, email, email_verified, updated_at) SELECT id, 'Ada', id || '@plans.test', true, at FROM filled`,
  `INSERT INTO accounts (id, user_id, provider_id, account_id, password_hash, updated_at)
     SELECT id, id, 'credential', id, 'x', at FROM filled`,
  `INSERT INTO sessions (id, handle, user_id, expires_at)
     SELECT id, id, id, now() + interval '1 hour' + n % 600000 * interval '1 second' FROM filled`,
  // Links that expired within a week are kept: the sweep must not read them each time.
  `INSERT INTO verifications (id, purpose, secret_hash, user_id, expires_at)
     SELECT id, 'verify-email', id, id, now() - n % 500000 * interval '1 second' FROM filled`,
  `INSERT INTO invitations (id, organization_id, email, role, secret_hash, status, expires_at)
     SELECT id, 'desk-' || n / 50, id || '@plans.test', 'member', id, 'pending', now() - n % 500000 * interval '1 second' FROM filled`,
  `INSERT INTO trusted_devices (id, user_id, secret_hash, expires_at) SELECT id, id, id, now() + interval '9 days' FROM filled WHERE n % 4 = 0`,
  `INSERT INTO two_factors (user_id, secret_sealed, confirmed_at) SELECT id, 'x', at FROM filled WHERE n % 4 = 0`,
  `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, is_syncable, backed_up, aaguid)
     SELECT id, id, 'Phone', id, '', false, false, '' FROM filled WHERE n % 4 = 0`,
  `INSERT INTO queued_mails (id, mail_sealed, attempts, next_attempt_at, last_error)
     SELECT fill_id(1700000000000 + n, n), 'x', 3, now() + interval '1 hour', 'deferred' FROM generate_series(1, ${deferredMails}) n`,
  // 300 days until now and, in the partitions of the next months, 60 days more.
  `INSERT INTO audit_events (id, user_id, action, organization_id, created_at)
     SELECT fill_id(milliseconds, n), CASE WHEN n % ${events / manyEvents} = 0 THEN '${owner}' ELSE 'user-' || n / 5 END,
       CASE WHEN n % ${events / 10} = 7 THEN 'disable-two-factor' WHEN n % 100 IN (3, 4) THEN 'add-member' ELSE 'sign-in' END,
       CASE n % 100 WHEN 3 THEN '${organization}' WHEN 4 THEN 'desk-' || n % 1000 END,
       to_timestamp(milliseconds / 1000.0) AT TIME ZONE 'UTC'
     FROM generate_series(1, ${events}) n,
       LATERAL (SELECT (extract(epoch FROM now()) * 1000 + (n * 360.0 / ${events} - 300) * 86400000)::bigint AS milliseconds) AS moment`,
  `INSERT INTO events (position, id, type, user_id, data, created_at, appended_at)
     SELECT n, 'evt_' || lpad(n::text, 16, '0') || '_' || left(md5(n::text), 8),
       CASE WHEN n % ${events / 10} = 7 THEN 'key.ended' ELSE 'activity.sign-in' END, 'user-' || n / 5, '{}', at, at
     FROM generate_series(1, ${events}) n, LATERAL (SELECT now() - interval '9 days' + n * interval '1 second' AS at) AS moment`,
  `UPDATE event_feed SET position = ${events}, last_id = (SELECT id FROM events WHERE position = ${events})`,
  `INSERT INTO webhooks (id, url, contact, keys_sealed, created_by) VALUES ('hook', 'https://hooks.example.com', 'desk@plans.test', '', 'grace')`,
  // Half delivered, half deferred.
  `INSERT INTO webhook_deliveries (id, webhook_id, position, event_id, type, order_key, status, next_attempt_at, created_at)
     SELECT n, 'hook', position, id, type, user_id, CASE n % 2 WHEN 0 THEN 'delivered' ELSE 'waiting' END,
       CASE n % 2 WHEN 1 THEN now() + interval '1 hour' END, created_at
     FROM events, LATERAL (SELECT position AS n) AS numbered`,
  // Autovacuum would count the rows at a moment of its choice.
  'ALTER TABLE verifications SET (autovacuum_enabled = off)',
  'VACUUM ANALYZE',
]

describe.runIf(testDatabase.kind === 'postgres')(`with ${events} audit events and ${users} users`, () => {
  let app: TestApp
  let owner: SignedIn
  let organization: string
  let command: ReturnType<typeof adminOf>
  beforeAll(async () => {
    reportPlans()
    app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
    command = adminOf(app)
    owner = await app.signedIn()
    organization = (await found(owner)).id
    const [row] = await app.db.$queryRaw<{ name: string }[]>`SELECT current_database() AS name`
    const url = new URL(process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL ?? '')
    url.pathname = `/${row?.name}`
    const client = new pg.Client(url.href)
    await client.connect()
    for (const statement of ["LOAD 'auto_explain'; SET auto_explain.log_min_duration = -1", ...fill(owner.userId, organization)])
      await client.query(statement)
    await client.end()
  }, 600_000)

  const read = async (path: string) => expect((await owner.get(path)).status, path).toBe(200)
  const run = async (...words: string[]) => expect(await command(...words), words.join(' ')).toMatchObject({ code: 0 })

  test(`get-security of a user with ${manyEvents} events reads one event for each kind of password change`, async () => {
    const indexes = await expectShortReads(() => read('/auth/get-security'))
    expect(indexes.join()).toMatch(/user_id_action_id_idx/)
  })

  test.each([
    '/auth/list-activity?limit=100',
    '/auth/list-activity?kind=security',
    '/auth/list-activity?kind=sign-ins&limit=100',
    '/auth/list-activity?since=2026-06-01T00:00:00Z&until=2026-07-01T00:00:00Z',
    '/auth/list-activity?kind=sign-ins&until=2026-07-01T00:00:00Z',
    '/auth/list-sessions',
  ])('%s reads no more than it shows', async (path) => void (await expectShortReads(() => read(path))))

  // PostgreSQL expects few of an organization's events to have an action of organizations, and reads all of them.
  test('an organization reads no events of another', async () => {
    const path = `/auth/organization/list-activity?limit=100&organizationId=${organization}`
    const indexes = await expectShortReads(() => read(path), { rows: events / 40, pages: events / 50 })
    expect(indexes.join()).toMatch(/organization_id_id_idx/)
  })

  test.each([
    [['audit'], /pkey/],
    [['audit', '--action', 'disable-two-factor'], /action_id_idx/],
    [['audit', '--action', 'no-such-action'], /action_id_idx/],
    [['audit', '--action', 'sign-in', '--until', '2026-08-01'], /action_id_idx|pkey/],
    [['audit', '--since', '2026-06-01', '--until', '2026-06-02'], /pkey/],
    [['audit', '--user', 'user-77@plans.test'], /user_id_id_idx/],
    // The indexes of the user or that of the action: all read little.
    [['audit', '--user', 'user-77', '--action', 'add-passkey'], /(user_id_(action_)?|action_)id_idx/],
    [['find', 'user-123'], /users_email_idx/],
    [['find', 'user-12345@plans.test'], /users_email_idx/],
    [['find', 'google:unknown'], /accounts_provider_id_account_id_key/],
    [['show', 'google:user-1'], /accounts_provider_id_account_id_key/],
    [['show', 'user-4'], /accounts_user_id_idx/],
    [['sessions', 'user-4'], /sessions_user_id_idx/],
    [['mails'], /queued_mails/],
  ] as [string[], RegExp][])('admin %j reads an index', async (words, index) => {
    const isUnknown = words.includes('google:user-1')
    const indexes = await expectShortReads(() => (isUnknown ? command(...words) : run(...words)))
    expect(indexes.join()).toMatch(index)
  })

  test('admin audit --before goes on from the index', async () => {
    const { json } = await command('audit', '--action', 'sign-in', '--json')
    const last = (json as { id: string }[]).at(-1)?.id ?? ''
    await expectShortReads(() => run('audit', '--before', last))
    await expectShortReads(() => run('audit', '--action', 'sign-in', '--before', last))
  })

  test(`the mail queue finds a due mail among ${deferredMails} deferred ones by two short reads`, async () => {
    await expectShortReads(() => app.drainMail())
    await expectShortReads(async () => {
      await owner.post('/auth/forget-password', { email: owner.person.email })
      await app.drainMail()
    })
  })

  test.each([
    ['a page of the feed', {}, /events_pkey/],
    ['a page of a rare type', { types: 'key.ended' }, /events_type_position_idx/],
    ['a page of a type without events', { types: 'user.deleted' }, /events_type_position_idx/],
    ['a page of the whole activity', { types: 'activity.*' }, /events_type_position_idx/],
  ] as [string, Record<string, string>, RegExp][])('%s reads an index', async (_, filter, index) => {
    const start = (await readFeed(app, { limit: '500' })).cursor
    const indexes = await expectShortReads(() => readFeed(app, { after: start, limit: '100', ...filter }))
    expect(indexes.join()).toMatch(index)
  })

  test.each([
    ['an email', 'user-77@', /users_email_idx/],
    ['a name that everyone has', 'ada', /users_name_idx/],
    ['a domain that everyone has', '@plans', /users_domain_idx/],
    ['a last name that no user has', 'zora', /users_last_name_idx/],
  ])('a search of administrators for %s reads an index', async (_, searchValue, index) => {
    const tab = await app.signedIn()
    await makeAdministrator(app, tab)
    const query = new URLSearchParams({ searchValue })
    const indexes = await expectShortReads(() => tab.get(`/auth/admin/list-users?${query}`))
    expect(indexes.join()).toMatch(index)
  })

  test.each([
    ['the beginning of a short name', 'desk-1', /organizations_slug_idx/],
    ['a name that every organization has', 'desk', /organizations_name_idx/],
  ])('a search of organizations for %s reads an index', async (_, searchValue, index) => {
    const tab = await app.signedIn()
    await makeAdministrator(app, tab)
    await app.db.$executeRaw`
      INSERT INTO organizations (id, name, slug, updated_at)
      SELECT 'searched-' || n, 'Desk', 'desk-' || n, now() FROM generate_series(1, 20000) n ON CONFLICT DO NOTHING`
    await app.db.$executeRawUnsafe('ANALYZE organizations')
    const query = new URLSearchParams({ searchValue })
    const indexes = await expectShortReads(() => tab.get(`/auth/admin/list-organizations?${query}`))
    expect(indexes.join()).toMatch(index)
    await expectShortReads(() => tab.get('/auth/admin/list-organizations'))
  })

  test.each([
    ['the counts', 'counts', /sessions_expires_at_idx/],
    ['a page of refused mails', 'list-refused-mails?limit=50', /queued_mails_next_attempt_at_id_idx/],
    ['the webhooks', 'list-webhooks', /webhook_deliveries_due_idx/],
    ['the newest deliveries', 'list-webhook-deliveries?webhookId=hook', /webhook_deliveries_webhook_id_position_idx/],
  ])('%s of administrators read an index', async (_, address, index) => {
    const tab = await app.signedIn()
    await makeAdministrator(app, tab)
    onTestFinished(async () => {
      await app.db.queuedMail.deleteMany({ where: { nextAttemptAt: null } })
      await app.db.$executeRawUnsafe('VACUUM (INDEX_CLEANUP ON) queued_mails')
    })
    await app.db.$executeRaw`
      INSERT INTO queued_mails (id, mail_sealed, attempts, next_attempt_at)
      SELECT gen_random_uuid()::text, 'x', 1, NULL FROM generate_series(1, 3000) n`
    const indexes = await expectShortReads(() => tab.get(`/auth/admin/${address}`))
    expect(indexes.join()).toMatch(index)
  })

  test('the beginning of the feed at a moment is read from an index', async () => {
    const since = new Date(Date.now() - 8 * 86_400_000).toISOString()
    await expectShortReads(() => readFeed(app, { since, limit: '100' }))
  })

  test('the webhook queue finds a due delivery among many deferred and delivered ones', async () => {
    const indexes = await expectShortReads(async () => {
      await app.db.$executeRaw`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 second' WHERE id = '77775'`
      await app.service.deps.webhooks.drain()
    })
    expect(indexes.join()).toMatch(/webhook_deliveries_due_idx/)
    expect(await app.db.webhookDelivery.count({ where: { id: '77775', attempts: 1 } })).toBe(1)
  })

  const addChallenges = () => app.db.$executeRaw`
    INSERT INTO verifications (id, purpose, secret_hash, expires_at)
    SELECT 'state-' || n, 'social-sign-in', 'state-' || n, now() + interval '5 minutes' FROM generate_series(1, 20000) n`
  const removeChallenges = () => app.db.$executeRaw`DELETE FROM verifications WHERE purpose = 'social-sign-in'`

  test('a token is found by its hash among many that came after the last ANALYZE', async () => {
    await addChallenges()
    const callback = () => app.browser().get('/auth/callback/google?state=unknown&code=unknown')
    const indexes = await expectShortReads(callback)
    expect(indexes).toContain('verifications_secret_hash_key')
    await removeChallenges()
  })

  const expectSweepWithoutReads = async () => {
    const { db, log } = app.service.deps
    const indexes = await expectShortReads(() => createExpirySweep({ db, log }).sweep())
    for (const index of ['invitations_expires_at_idx', 'verifications_purpose_expires_at_idx', 'sessions_expires_at_idx'])
      expect(indexes).toContain(index)
  }

  test('a sweep with nothing to do reads nothing', expectSweepWithoutReads)

  test('a sweep after many challenges have gone reads nothing, though PostgreSQL expects them until the next ANALYZE', async () => {
    onTestFinished(async () => void (await app.db.$executeRawUnsafe('ANALYZE verifications')))
    await addChallenges()
    await app.db.$executeRawUnsafe('ANALYZE verifications')
    await removeChallenges()
    await expectSweepWithoutReads()
  })

  test('a sweep reads what it deletes', async () => {
    const { db, log } = app.service.deps
    await db.$executeRaw`UPDATE invitations SET expires_at = now() - interval '9 days' WHERE id < 'user-12'`
    await db.$executeRaw`UPDATE verifications SET expires_at = now() - interval '9 days' WHERE id < 'user-12'`
    await db.$executeRaw`UPDATE audit_events SET created_at = '2020-01-01' WHERE id IN (SELECT id FROM audit_events ORDER BY id LIMIT 2000)`
    const logged = app.logs.length
    await expectShortReads(() => createExpirySweep({ db, log, batchSize: 200 }).sweep(), { rows: 1000, pages: 6000 })
    expect(app.logs.slice(logged).filter(({ level }) => Number(level) > 30)).toEqual([])
  })

  test('no statement of any route reads more than a page of rows', async () => {
    const samples = routeSamples(app)
    for (const route of routes) {
      const { method, path } = route
      const tab = await app.signedIn()
      const input = (await samples[`${method} ${path}`]?.(tab)) ?? {}
      await expectShortReads(async () => {
        if (method === 'GET') await tab.get(`${addressOf(path, input)}?${new URLSearchParams(input as Record<string, string>)}`)
        else await tab.post(addressOf(path, input), input)
        await app.service.deps.db.$queryRaw`SELECT 1`
      })
    }
  })
})
