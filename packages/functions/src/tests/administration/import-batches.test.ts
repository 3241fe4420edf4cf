import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminOf, openProgress } from '@floorpass/testing/admin-command'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { admin, organization, twoFactor, username } from 'better-auth/plugins'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBetterAuthSource } from './better-auth-source.ts'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-import-batches-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await createTestApp()
const isPostgres = testDatabase.kind === 'postgres'
const command = adminOf(app)

type Report = {
  imported: number
  present: number
  refused: number
  leftBehind: Record<string, number>
  estimatedSeconds?: number
  rows: { id: string; email: string; status: string; reason?: string; notes: string[] }[]
}
const run = async (...args: string[]) => (await command('import', ...args, '--json')).json as Report

const row = (id: string, changes: Record<string, unknown> = {}) => ({
  id,
  name: `Import ${id}`,
  email: `${id}@import.test`,
  emailVerified: true,
  accounts: [{ providerId: 'github', accountId: id }],
  ...changes,
})
const rowsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => row(`${prefix}-${index}`))
let files = 0
const fileOf = async (rows: unknown[]) => {
  files += 1
  const file = join(folder, `${files}.ndjson`)
  await writeFile(file, rows.map((item) => `${JSON.stringify(item)}\n`).join(''))
  return file
}
const idsOf = async (prefix: string) =>
  (await app.db.user.findMany({ where: { id: { startsWith: `${prefix}-` } }, select: { id: true } })).map(({ id }) => id).sort()
const batchesOf = async (prefix: string) =>
  (
    await app.db.user.groupBy({
      by: ['importedAt'],
      where: { id: { startsWith: `${prefix}-` } },
      _count: true,
      orderBy: { importedAt: 'asc' },
    })
  ).map(({ _count }) => _count)
const addConstraint = async (sql: string, undo: string) => {
  await app.db.$executeRawUnsafe(sql)
  onTestFinished(async () => void (await app.db.$executeRawUnsafe(undo)))
}

describe('the text of a file', () => {
  const write = async (name: string, content: string | Buffer) => {
    const file = join(folder, name)
    await writeFile(file, content)
    return file
  }

  test('may begin with a byte order mark, end its lines with CR LF and have a line separator inside a text', async () => {
    const rows = [row('mark-1', { bio: 'One\u2028line' }), row('mark-2')]
    const lines = await write('mark.ndjson', `\ufeff${rows.map((item) => JSON.stringify(item)).join('\r\n')}`)
    expect(await run(lines)).toMatchObject({ imported: 2, refused: 0 })
    const list = await write('mark.json', `\ufeff${JSON.stringify(rows)}`)
    expect(await run(list)).toMatchObject({ present: 2, refused: 0 })
  })

  test.each([
    'mysql://boss:hunter2@db/x',
    ' postgresql://boss:hunter2@db/x',
    'postgresql:/boss:hunter2@db/x',
    'postgres//boss:hunter2@db/x',
  ])('is no mistyped URL, whose password no message shows: %s', async (source) => {
    const { code, stdout, stderr } = await command('import', source)
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a URL of PostgreSQL')])
    expect(stdout + stderr).not.toContain('hunter2')
  })

  test('must be UTF-8, otherwise names would have wrong letters', async () => {
    const latin1 = Buffer.from(
      `${JSON.stringify(row('latin-1'))}\n${JSON.stringify(row('latin-2', { name: 'José' }))}\n`,
      'latin1',
    )
    const { stderr, code } = await command('import', await write('latin1.ndjson', latin1))
    expect(stderr).toMatch(/latin1\.ndjson, line 2 could not be read[\s\S]*It is not text in UTF-8/)
    expect(code).toBe(1)
    expect(await idsOf('latin')).toEqual(['latin-1'])
  })

  test('has lines of a limited length, so that a file without line ends does not fill the memory', async () => {
    const long = `${JSON.stringify(row('long-1'))}\n{"id":"${'x'.repeat(17 * 1024 * 1024)}"}\n`
    const { stderr } = await command('import', await write('long.ndjson', long))
    expect(stderr).toMatch(/line 2 could not be read[\s\S]*It is longer than 16 MiB/)
    expect(await idsOf('long')).toEqual(['long-1'])
  })
})

describe('the batches of an import', () => {
  test('write many users in one transaction, each with accounts and an audit event', async () => {
    expect(await run(await fileOf(rowsOf('many', 2500)))).toMatchObject({ imported: 2500, refused: 0 })
    expect((await batchesOf('many')).length).toBeLessThan(250)
    const where = { userId: { startsWith: 'many-' } }
    expect(await app.db.account.count({ where })).toBe(2500)
    expect(await app.db.auditEvent.count({ where: { ...where, action: 'import-user' } })).toBe(2500)
  })

  test('lose only the row that the database refuses, also in a dry run', async () => {
    await addConstraint(
      `ALTER TABLE users ADD CONSTRAINT refuse_name CHECK (name <> 'Import neighbour-3')`,
      'ALTER TABLE users DROP CONSTRAINT refuse_name',
    )
    const file = await fileOf(rowsOf('neighbour', 9))
    const expected = {
      imported: 8,
      refused: 1,
      rows: [{ id: 'neighbour-3', reason: 'The database refused the row (23514)' }],
    }
    expect(await run(file, '--dry-run')).toMatchObject(expected)
    expect(await idsOf('neighbour')).toEqual([])
    expect(await run(file)).toMatchObject(expected)
    expect(await idsOf('neighbour')).toHaveLength(8)
  })

  test('end the import on an error that no row causes', async () => {
    await addConstraint('ALTER TABLE accounts RENAME COLUMN scopes TO lost', 'ALTER TABLE accounts RENAME COLUMN lost TO scopes')
    const { code, stderr } = await command('import', await fileOf(rowsOf('faulty', 3)))
    expect([code, stderr]).toEqual([1, expect.stringContaining('Stopped at row 0; 0 were imported before it')])
    expect(stderr).not.toContain('refused')
    expect(await idsOf('faulty')).toEqual([])
  })

  test('are all in the report when a later one ends the import', async () => {
    await addConstraint(
      `CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.id = 'ending-1500' THEN RAISE EXCEPTION 'gone' USING ERRCODE = '57014'; END IF; RETURN NEW; END $$`,
      'DROP FUNCTION fail_late',
    )
    await addConstraint(
      'CREATE TRIGGER fail_late BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION fail_late()',
      'DROP TRIGGER fail_late ON users',
    )
    const { code, stderr } = await command('import', await fileOf(rowsOf('ending', 1600)))
    const imported = (await idsOf('ending')).length
    expect(imported).toBeGreaterThan(0)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Stopped at row ${imported}; ${imported} were imported before it, each completely.`),
    ])
  })

  test('shrink when the database is slow, so that locks stay short', async () => {
    await addConstraint(
      `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;`,
      'DROP FUNCTION be_slow',
    )
    await addConstraint(
      'CREATE TRIGGER be_slow BEFORE INSERT ON users EXECUTE FUNCTION be_slow()',
      'DROP TRIGGER be_slow ON users',
    )
    expect(await run(await fileOf(rowsOf('slow', 2200)))).toMatchObject({ imported: 2200 })
    const [first = 0, ...others] = await batchesOf('slow')
    expect(first).toBeGreaterThan(500)
    expect(others.at(-2)).toBeLessThanOrEqual(250)
  })

  test('a dry run has the outcomes of the import, also for rows of different batches', async () => {
    const unverified = await app.signUp()
    const verified = await app.verified()
    const file = await fileOf([
      ...rowsOf('same', 1100),
      row('same-0'),
      row('same-1', { email: 'another@import.test' }),
      row('same-a', { email: 'SAME-2@import.test' }),
      row('same-b', { accounts: [{ providerId: 'github', accountId: 'same-3' }] }),
      row('same-c', { email: unverified.email }),
      row('same-d', { email: unverified.email }),
      row('same-e', { email: verified.email }),
      row('same-f', { email: 'no address' }),
    ])
    const planned = await run(file, '--dry-run')
    expect(await idsOf('same')).toEqual([])
    const done = await run(file)
    expect(planned).toMatchObject({ imported: 1101, present: 1, refused: 6 })
    expect({ ...planned, dryRun: false, estimatedSeconds: undefined }).toEqual(done)
    expect(planned.estimatedSeconds).toBeGreaterThanOrEqual(1)
    expect(await app.db.user.findUnique({ where: { email: unverified.email } })).toMatchObject({ id: 'same-c' })
  })
})

describe('the progress of an import', () => {
  test('is a line every five seconds when standard error is no terminal', () => {
    let time = 0
    const lines: string[] = []
    const progress = openProgress({ say: (line) => void lines.push(line), terminal: null }, () => time)
    for (time = 1; time <= 12; time += 1) progress.update({ fraction: time / 24, users: time * 4000, counts: '0 refused' })
    progress.close()
    expect(lines).toEqual([
      'progress 20 %  20,000 users  4,000 users/s  19 s left  0 refused',
      'progress 41 %  40,000 users  4,000 users/s  14 s left  0 refused',
    ])
  })

  test('is a bar at a terminal, which stays below every other line and inside its width', () => {
    let time = 0
    let screen = ''
    const write = (text: string) => {
      screen += text
    }
    const terminal = { write, columns: () => 50 }
    const progress = openProgress({ say: (line) => write(`${line}\n`), terminal }, () => time)
    time = 10
    progress.update({ fraction: 0.5, users: 50_000, counts: '0 refused' })
    progress.say('refused  row 7')
    progress.close()
    const bar = '[############------------] 50 %  50,000 users  5,0'
    expect(screen).toBe(`\r${bar.slice(0, 49)}\u001b[K\r\u001b[Krefused  row 7\n\r\u001b[K`)
  })
})

describe('what an import leaves behind', () => {
  test('carries risk level, trading, language and dates, and names a value that it cannot carry', async () => {
    const date = '2024-05-06T07:08:09.000Z'
    const report = await run(
      await fileOf([
        row('kin-1', { riskLevel: 'aggressive', tradingEnabled: true, locale: 'fr', createdAt: date, updatedAt: date }),
        row('kin-2', { riskLevel: 'reckless', locale: 'tlh', emailVerified: false, tradingEnabled: true }),
        row('kin-3', { riskLevel: null, tradingEnabled: null, locale: null, createdAt: null, updatedAt: null }),
        row('kin-4', { risk_level: 'moderate' }),
      ]),
    )
    const users = await app.db.user.findMany({ where: { id: { startsWith: 'kin-' } }, orderBy: { id: 'asc' } })
    const safe = { riskLevel: 'conservative', tradingEnabled: false, locale: 'en' }
    expect(users).toMatchObject([
      { riskLevel: 'aggressive', tradingEnabled: true, locale: 'fr', createdAt: new Date(date), updatedAt: new Date(date) },
      safe,
      safe,
    ])
    expect(report.rows.find(({ id }) => id === 'kin-2')?.notes).toEqual(
      expect.arrayContaining([
        'riskLevel "reckless" is not one of conservative, moderate, aggressive: imported as conservative',
        'locale "tlh" is not one of en, fr: imported as en',
        'email address not verified: trading stays switched off',
      ]),
    )
    expect(report.rows.find(({ id }) => id === 'kin-4')?.reason).toContain('"risk_level" does not have')
    expect(report.leftBehind).toMatchObject({ 'risk levels': 1, languages: 1, 'trading permissions': 1 })
  })

  test('a dry run and the import of a file name every kind with its count', async () => {
    const file = await fileOf([
      row('left-1', {
        role: 'admin',
        username: 'ada',
        sessions: [{ id: 1 }, { id: 2 }],
        members: [{ organizationId: 'x', role: 'owner' }],
        image: 'data:image/png;base64,AA',
        accounts: [
          { providerId: 'google', accountId: 'left-1', accessToken: 'secret', issuer: 'https://accounts.google.com' },
          { providerId: 'discord', accountId: 'left-1' },
        ],
      }),
      row('left-2', { role: 'user', username: null, sessions: [], twoFactorEnabled: true }),
      row('left-3', { banned: true, banReason: 'fraud', banExpires: '2999-01-01T00:00:00Z', emailVerified: false }),
      { id: 'left-4', company: 'Babbage & Co' },
    ])
    const leftBehind = {
      roles: 1,
      'user field "username"': 1,
      'user field "company"': 1,
      'user field "banReason"': 1,
      'account field "issuer"': 1,
      sessions: 2,
      memberships: 1,
      pictures: 1,
      'provider tokens': 1,
      'accounts at "discord"': 1,
      'identities of unverified users': 1,
      'second factors': 1,
      'ends of bans': 1,
    }
    for (const args of [['--dry-run'], [], []]) expect((await run(file, ...args)).leftBehind).toEqual(leftBehind)
    const { stdout } = await command('import', file, '--dry-run')
    expect(stdout).toMatch(/^Left behind:$/m)
    expect(stdout).toMatch(/^ +2 {2}sessions$/m)
  })

  test.runIf(isPostgres)("counts the rows of better-auth's other tables", async () => {
    const { auth, pool, url, close } = await createBetterAuthSource({
      user: { additionalFields: { company: { type: 'string', required: false } } },
      plugins: [organization(), twoFactor(), admin(), username()],
    })
    onTestFinished(close)
    for (const name of ['Grace', 'Edsger'])
      await auth.api.signUpEmail({
        body: { name, email: `${name}@tables.test`, password: `violet harbor ${name}`, company: 'Babbage & Co' },
      })
    await pool.query(`
      UPDATE "user" SET "emailVerified" = true;
      UPDATE "user" SET role = 'admin', "twoFactorEnabled" = true WHERE name = 'Grace';
      INSERT INTO account (id, "accountId", "providerId", "userId", "refreshToken", "updatedAt")
        SELECT 'google', 'tables-1', 'google', id, 'token', now() FROM "user" WHERE name = 'Grace';
      INSERT INTO organization (id, name, slug, "createdAt") SELECT i, i, i, now() FROM generate_series(1, 3) AS i;
      INSERT INTO member (id, "organizationId", "userId", role, "createdAt") SELECT id, '1', id, 'owner', now() FROM "user";
      INSERT INTO invitation (id, "organizationId", email, status, "expiresAt", "inviterId")
        SELECT id, '1', 'x@tables.test', 'pending', now(), id FROM "user" WHERE name = 'Grace';
      CREATE TABLE device (id text, "userId" text REFERENCES "user" (id));
      INSERT INTO device SELECT id, id FROM "user" WHERE name = 'Grace';
      CREATE TABLE orders (id text);
      INSERT INTO orders VALUES ('1')`)
    const leftBehind = {
      sessions: 2,
      organizations: 3,
      memberships: 2,
      invitations: 1,
      'rows of the table "device"': 1,
      roles: 1,
      'second factors': 1,
      'provider tokens': 1,
      'user field "company"': 2,
    }
    for (const args of [['--dry-run'], ['--without-two-factor']]) expect((await run(url, ...args)).leftBehind).toEqual(leftBehind)
  })
})

describe.runIf(isPostgres)('an import beside other processes', () => {
  const connect = async () => {
    const client = await app.db.$queryRaw<{ name: string }[]>`SELECT current_database() AS name`
    const url = Object.assign(new URL(process.env.TEST_DATABASE_URL || (process.env.DATABASE_URL ?? '')), {
      pathname: `/${client[0]?.name}`,
    })
    const connection = new pg.Client({ connectionString: url.href })
    await connection.connect()
    onTestFinished(() => connection.end())
    return connection
  }

  test('refuses the row that a sign-up takes meanwhile, and imports its neighbours', async () => {
    const connection = await connect()
    await connection.query(`
      BEGIN;
      INSERT INTO users (id, name, email, email_verified, updated_at) VALUES ('rival', 'Rival', 'race-2@import.test', true, now());
      INSERT INTO accounts (id, user_id, provider_id, account_id, updated_at) VALUES ('rival', 'rival', 'github', 'race-4', now())`)
    const imported = run(await fileOf(rowsOf('race', 7)))
    await waitForLocks(app)
    await connection.query('COMMIT')
    const report = await imported
    expect(report).toMatchObject({ imported: 5, refused: 2 })
    expect(report.rows).toMatchObject([
      { id: 'race-2', reason: 'A user of this service has the same email address' },
      { id: 'race-4', reason: 'A user of this service has one of the identities' },
    ])
    expect(await idsOf('race')).toEqual(['race-0', 'race-1', 'race-3', 'race-5', 'race-6'])
  })

  test('keeps the sign-up whose owner verifies it meanwhile', async () => {
    const { email } = await app.signUp()
    const connection = await connect()
    await connection.query('BEGIN')
    await connection.query('UPDATE users SET email_verified = true WHERE email = $1', [email])
    const imported = run(await fileOf([row('late-1', { email }), row('late-2')]))
    await waitForLocks(app)
    await connection.query('COMMIT')
    expect(await imported).toMatchObject({ imported: 1, refused: 1, rows: [{ id: 'late-1' }] })
    expect(await app.db.user.findUnique({ where: { email } })).toMatchObject({ emailVerified: true, importedAt: null })
    expect(await idsOf('late')).toEqual(['late-2'])
  })

  test('two imports at once import each user once and refuse none', async () => {
    const rows = rowsOf('twice', 3000)
    const reports = await Promise.all([run(await fileOf(rows)), run(await fileOf(rows.toReversed()))])
    expect(reports.map(({ refused }) => refused)).toEqual([0, 0])
    expect(reports.reduce((sum, { imported }) => sum + imported, 0)).toBe(3000)
    expect(reports.reduce((sum, { present }) => sum + present, 0)).toBe(3000)
    expect(await app.db.account.count({ where: { userId: { startsWith: 'twice-' } } })).toBe(3000)
  })
})
