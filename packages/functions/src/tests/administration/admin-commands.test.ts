import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { betterAuth } from 'better-auth'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openService, type Service } from '../../deps.ts'
import { createEdge } from '../../edge.ts'
import { admin } from '../../test-support/admin-command.ts'
import { switchOnTwoFactor } from '../../test-support/authenticator.ts'
import { type Browser, createBrowser } from '../../test-support/browser.ts'
import { createTestDatabase, testDatabase } from '../../test-support/test-database.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = await mkdtemp(join(tmpdir(), 'floorpass-admin-'))
const { options, drop } = await createTestDatabase()
const isPostgres = testDatabase.kind === 'postgres'
const environment = {
  DATA_DIR: folder,
  AUTH_SECRET: 'a key of the tests that is long enough 7Q',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'silent',
  ...(options.kind === 'postgres' && { DATABASE_URL: options.url }),
}
const command = (...args: string[]) => admin(environment, ...args)
const json = async (...args: string[]) => (await command(...args, '--json')).json

let service: Service | null = null
const running = async (): Promise<Service> => {
  service ??= await openService(environment)
  return service
}
/** The embedded database belongs to one process; PostgreSQL stays in use while the command runs. */
const leave = async (): Promise<void> => {
  if (isPostgres) return
  await service?.stop()
  service = null
}

afterAll(async () => {
  await service?.stop()
  await drop()
  await rm(folder, { recursive: true, force: true })
})

let persons = 0
const password = 'plum kettle orbit'
/** A person with an account, proved or not, as the service itself makes one. */
async function person({ verified = true } = {}): Promise<{ email: string; id: string }> {
  persons += 1
  const email = `ada-${persons}@example.test`
  const { deps } = await running()
  const tab = await browser()
  const answer = await tab.post('/auth/sign-up/email', { name: `Ada ${persons}`, email, password: `${password} ${persons}` })
  expect(answer.status).toBe(200)
  const user = await deps.db.user.update({ where: { email }, data: { emailVerified: verified } })
  return { email, id: user.id }
}
const browser = async (): Promise<Browser> => createBrowser(createEdge(await running()), 'http://localhost:3000')
const signIn = async (email: string, typed = `${password} ${email.split(/[-@]/)[1]}`) => {
  const tab = await browser()
  return { tab, answer: await tab.post('/auth/sign-in/email', { email, password: typed }) }
}
const events = async (userId: string, action: string) =>
  (await running()).deps.db.auditEvent.findMany({ where: { userId, action }, orderBy: { createdAt: 'desc' } })
const mailsTo = async (email: string) => {
  const { deps, outbox } = await running()
  await deps.mail.drain()
  return ((await outbox?.list()) ?? []).filter(({ to }) => to === email).map(({ subject }) => subject)
}

describe('the command line', () => {
  test('says how it is used, and a wrong use changes nothing and exits with 2', async () => {
    expect(await command()).toMatchObject({ code: 0, stdout: expect.stringContaining('npm run admin -- <command>') })
    const wrongOnes = [
      ['nope'],
      ['find'],
      ['find', 'a', 'b'],
      ['find', 'ada', '--reason', 'x'],
      ['show', '--colour'],
      ['audit', 'ada'],
      ['toString'],
    ]
    const results = await Promise.all(wrongOnes.map((wrong) => command(...wrong)))
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      expect([wrongOnes[index], code, stdout]).toEqual([wrongOnes[index], 2, ''])
      expect(stderr).toMatch(/Why: .+\n {2}Do: /)
    }
    expect(await command('nope', '--json')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } })
  })

  test('lists every wrong setting, as the service does', async () => {
    const { code, stderr } = await admin({ DATA_DIR: folder, BASE_URL: 'https://accounts.example.com' }, 'find', 'ada')
    expect(code).toBe(1)
    expect(stderr).toMatch(/AUTH_SECRET is missing.+SMTP_URL is missing/s)
  })

  test('makes no database where there is none', async () => {
    const empty = join(folder, 'nothing')
    const { code, stderr } = await admin({ DATA_DIR: empty }, 'find', 'ada')
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database')])
    await expect(stat(empty)).rejects.toThrow('ENOENT')
  })

  test('leaves the embedded database to a running service, and says what to do', async () => {
    const embedded = { ...environment, DATABASE_URL: '', DATA_DIR: join(folder, 'busy') }
    const busy = await openService(embedded)
    const { code, stderr } = await admin(embedded, 'find', 'ada')
    await busy.stop()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/another process \(id \d+\) is using it.+Stop that process/)])
    expect(await admin(embedded, 'find', 'ada')).toMatchObject({ code: 0, stdout: 'Nobody.\n' })
  })

  test.runIf(isPostgres)('does not migrate a database: that is the work of the service', async () => {
    const old = await createTestDatabase({ empty: true })
    const { code, stderr } = await admin({ ...environment, DATABASE_URL: (old.options as { url: string }).url }, 'find', 'ada')
    await old.drop()
    expect([code, stderr]).toEqual([1, expect.stringContaining('older than this version')])
  })

  test.runIf(isPostgres)('says that the database does not answer', async () => {
    const away = { ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    expect(await admin(away, 'mails')).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') })
  })
})

describe('users and their sessions', () => {
  afterEach(leave)

  test('are found by id, by identity at a provider, and by a part of the address', async () => {
    const { id, email } = await person()
    const { deps } = await running()
    await deps.db.account.create({ data: { userId: id, providerId: 'google', accountId: `g-${id}` } })
    await leave()
    for (const who of [id, `google:g-${id}`, email.toUpperCase(), email.split('@')[0] ?? ''])
      expect(await json('find', who)).toContainEqual(expect.objectContaining({ id, email }))
    expect(await json('show', `google:g-${id}`)).toMatchObject({
      id,
      accounts: [
        { providerId: 'credential', hasPassword: true },
        { providerId: 'google', hasPassword: false },
      ],
      twoFactor: null,
      sessions: 0,
    })
    const shown = await command('show', email)
    expect(shown.stdout).toContain(email)
    expect(shown.stdout).not.toMatch(/argon2|hash /i)
    expect(await command('show', 'nobody@example.test')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/USER_NOT_FOUND.+Do: {2}Look with/s),
    })
  })

  test('T183: all sessions end at once, trusted devices with them, and the log names the operator', async () => {
    const { id, email } = await person()
    const { tab } = await signIn(email)
    await signIn(email)
    const { deps } = await running()
    await deps.db.trustedDevice.create({ data: { userId: id, secretHash: `hash-${id}`, expiresAt: new Date(Date.now() + 1e6) } })
    await leave()
    expect(await json('sessions', email)).toHaveLength(2)
    expect(await command('revoke-sessions', email, '--operator', 'grace')).toMatchObject({
      code: 0,
      stdout: '2 sessions ended.\n',
    })
    const after = await running()
    expect(await after.deps.db.trustedDevice.count({ where: { userId: id } })).toBe(0)
    const again = isPostgres ? tab : Object.assign(await browser(), { cookies: tab.cookies })
    expect((await again.get('/auth/list-sessions')).status).toBe(401)
    expect(await events(id, 'revoke-session')).toMatchObject([{ actorId: 'operator:grace', details: { count: 2 } }])
  })

  test('one session ends by its id, and the other one goes on', async () => {
    const { id, email } = await person()
    await signIn(email)
    await signIn(email)
    await leave()
    const [first] = (await json('sessions', id)) as { id: string }[]
    expect(await json('revoke-sessions', id, '--session', first?.id ?? '')).toEqual({ revoked: 1 })
    expect(await json('revoke-sessions', id, '--session', first?.id ?? '')).toEqual({ revoked: 0 })
    expect(await json('sessions', id)).toHaveLength(1)
    await running()
    expect(await events(id, 'revoke-session')).toMatchObject([{ actorId: `operator:${userInfo().username}` }])
  })
})

describe('suspend and restore', () => {
  afterEach(leave)

  test('T183: close an account at once, with its sessions and links, and open it again', async () => {
    const { id, email } = await person()
    const { tab } = await signIn(email)
    await (await browser()).post('/auth/forget-password', { email })
    await leave()
    const reason = ['--reason', 'owner reports a stolen phone']
    expect((await command('suspend', email, '--yes')).code).toBe(2)
    expect(await json('suspend', email, ...reason, '--yes', '--operator', 'grace')).toEqual({ revoked: 1 })
    const { db } = (await running()).deps
    expect(await db.verification.count({ where: { userId: id, usedAt: null } })).toBe(0)
    const again = isPostgres ? tab : Object.assign(await browser(), { cookies: tab.cookies })
    expect((await again.get('/auth/list-sessions')).status).toBe(401)
    expect((await signIn(email)).answer.code).toBe('INVALID_EMAIL_OR_PASSWORD')
    await leave()
    expect((await command('restore', email, ...reason, '--yes')).code).toBe(0)
    expect((await signIn(email)).answer.status).toBe(200)
    await leave()
    await json('suspend', email, ...reason, '--yes')
    expect((await command('restore', email, ...reason, '--clear-password', '--yes')).code).toBe(0)
    expect((await signIn(email)).answer.code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await mailsTo(email)).toContain('Your Floorpass account needs a new password')
    const details = { reason: 'owner reports a stolen phone', sessions: 1 }
    expect(await events(id, 'suspend-user')).toContainEqual(expect.objectContaining({ actorId: 'operator:grace', details }))
    expect(await events(id, 'restore-user')).toHaveLength(2)
  })
})

describe('verify-address', () => {
  afterEach(leave)

  test('T183: needs a reason and a confirmation; then the password signs in', async () => {
    const { id, email } = await person({ verified: false })
    expect((await signIn(email)).answer.code).toBe('EMAIL_NOT_VERIFIED')
    await leave()
    expect((await command('verify-address', email, '--yes')).code).toBe(2)
    expect((await command('verify-address', email, '--reason', 'too short', '--yes')).code).toBe(2)
    const unconfirmed = await command('verify-address', email, '--reason', 'called back on the known number')
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a confirmation') })
    expect(await json('show', email)).toMatchObject({ emailVerified: false })
    const done = await command('verify-address', email, '--reason', 'called back on the known number', '--yes')
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('is verified') })
    const twice = await command('verify-address', email, '--reason', 'called back on the known number', '--yes', '--json')
    expect(twice).toMatchObject({ code: 1, json: { error: { code: 'EMAIL_ALREADY_VERIFIED' } } })
    expect((await signIn(email)).answer.status).toBe(200)
    expect(await events(id, 'verify-email')).toMatchObject([
      { actorId: expect.stringContaining('operator:'), details: { reason: 'called back on the known number' } },
    ])
  })
})

describe('disable-two-factor', () => {
  afterEach(leave)

  test('T183, T184: takes the factor off with a reason, tells the owner, and names the operator', async () => {
    const { id, email } = await person()
    const { tab } = await signIn(email)
    await switchOnTwoFactor(tab, `${password} ${email.split(/[-@]/)[1]}`)
    expect((await signIn(email)).answer.body).toMatchObject({ twoFactorRedirect: true })
    await leave()
    const reason = ['--reason', 'passport shown at the desk']
    expect((await command('disable-two-factor', email, '--yes')).code).toBe(2)
    expect((await command('disable-two-factor', email, ...reason)).code).toBe(2)
    expect(await json('show', email)).toMatchObject({ twoFactorEnabled: true, twoFactor: { backupCodesLeft: 10 } })
    expect((await command('disable-two-factor', email, ...reason, '--yes', '--operator', 'grace')).code).toBe(0)
    expect(await command('disable-two-factor', email, ...reason, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('TWO_FACTOR_NOT_ENABLED'),
    })
    const { answer } = await signIn(email)
    expect(answer.body).toMatchObject({ user: { email } })
    expect(await remainsOf(id)).toEqual([0, 0, 0])
    expect(await events(id, 'disable-two-factor')).toMatchObject([
      { actorId: 'operator:grace', details: { reason: 'passport shown at the desk' } },
    ])
    expect(await mailsTo(email)).toContain('Signing in to Floorpass no longer needs a code')
  })

  const remainsOf = async (userId: string) => {
    const { db } = (await running()).deps
    return [
      await db.twoFactor.count({ where: { userId } }),
      await db.backupCode.count({ where: { userId } }),
      await db.trustedDevice.count({ where: { userId } }),
    ]
  }
})

describe('export and audit', () => {
  afterEach(leave)

  test('T185: export holds what the own export holds, keeps an invitee to themselves, and is logged', async () => {
    const { id, email } = await person()
    const { tab } = await signIn(email)
    await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${id}` })
    const invited = await tab.post('/auth/organization/invite-member', { email: 'bob@example.test', role: 'member' })
    expect(invited.status).toBe(200)
    const own = (await tab.get('/auth/export-data')).body as Record<string, unknown>
    await leave()
    const file = join(folder, `export-${id}.json`)
    expect((await command('export', email, '--output', file)).code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    const data = JSON.parse(text) as Record<string, unknown[]>
    expect(Object.keys(data)).toEqual(Object.keys(own))
    expect(data).toMatchObject({ user: { id, email }, invitations: [{ email: null, sent: true }] })
    expect(data.links).toEqual([expect.objectContaining({ purpose: 'verify-email', email })])
    expect(text).not.toMatch(/bob@|hash|sealed|secret/i)
    expect((await command('export', email, '--output', file)).code).toBe(1)
    await running()
    expect((await events(id, 'export-data')).map(({ actorId }) => actorId)).toContain(`operator:${userInfo().username}`)
  })

  test('audit events are told apart by user, kind and time', async () => {
    const { id, email } = await person()
    await signIn(email)
    await signIn(email)
    await leave()
    const actions = async (...args: string[]) =>
      ((await json('audit', '--user', email, ...args)) as { action: string; userId: string }[]).map(({ action, userId }) => {
        expect(userId).toBe(id)
        return action
      })
    expect(await actions()).toEqual(['sign-in', 'sign-in', 'sign-up'])
    expect(await actions('--action', 'sign-up')).toEqual(['sign-up'])
    expect(await actions('--limit', '1')).toEqual(['sign-in'])
    expect(await actions('--since', new Date(Date.now() + 60_000).toISOString())).toEqual([])
    expect(await actions('--until', '2020-01-01')).toEqual([])
    expect((await command('audit', '--since', 'yesterday')).code).toBe(2)
    expect((await command('audit', '--limit', '0')).code).toBe(2)
  })
})

describe('mails that the server refused for good', () => {
  afterEach(leave)

  test('T183: are listed, sent again, or dropped with an audit event of whom they were for', async () => {
    const { id, email } = await person()
    const refuse = async () => {
      const { deps } = await running()
      await deps.mail.drain()
      const mail = { to: email, subject: 'A letter', text: 'with a secret-link', html: '' }
      await deps.db.$transaction((tx) => deps.mail.add(tx, mail))
      await deps.db.queuedMail.updateMany({ data: { nextAttemptAt: null, lastError: 'MAIL_REFUSED', attempts: 1 } })
      const [row] = await deps.db.queuedMail.findMany()
      await leave()
      return row?.id ?? ''
    }
    const first = await refuse()
    const listed = await command('mails', '--json')
    expect(listed.json).toMatchObject([{ id: first, to: email, subject: 'A letter', lastError: 'MAIL_REFUSED' }])
    expect(listed.stdout).not.toContain('secret-link')
    expect((await command('retry-mail', 'no-such-id')).code).toBe(1)
    expect(await command('retry-mail', first)).toMatchObject({ code: 0, stdout: '1 mail queued.\n' })
    expect(await mailsTo(email)).toContain('A letter')

    const second = await refuse()
    expect((await command('drop-mail', second)).code).toBe(2)
    expect(await json('drop-mail', second, '--yes', '--operator', 'grace')).toEqual({ dropped: 1 })
    expect(await command('drop-mail', 'all', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('no such mail') })
    await running()
    expect(await events(id, 'drop-mail')).toMatchObject([{ actorId: 'operator:grace', details: { subject: 'A letter' } }])
    expect((await mailsTo(email)).filter((subject) => subject === 'A letter')).toHaveLength(1)
  })
})

describe('import from a file', () => {
  afterEach(leave)

  const row = async (id: string, changes: Record<string, unknown> = {}) => ({
    id,
    name: `Import ${id}`,
    email: `${id}@Import.test`,
    emailVerified: true,
    createdAt: '2024-05-06T07:08:09.000Z',
    accounts: [{ providerId: 'credential', accountId: id, password: await hashPassword(`violet harbor ${id}`) }],
    ...changes,
  })
  const lines = async (name: string, rows: unknown[]) => {
    const file = join(folder, name)
    await writeFile(file, rows.map((item) => `${JSON.stringify(item)}\n`).join(''))
    return file
  }
  type Report = { imported: number; present: number; refused: number; rows: { id: string; reason?: string; notes: string[] }[] }

  test('T178: brings users with ids, dates, flags and identities; their old passwords sign in', async () => {
    await running()
    await leave()
    const file = await lines('good.ndjson', [
      await row('imp1'),
      await row('imp2', {
        emailVerified: false,
        accounts: [{ providerId: 'github', accountId: '4711', scope: 'user:email,read:user' }],
        createdAt: '2024-05-06 07:08:09',
      }),
      await row('imp3', { banned: true, image: 'data:image/png;base64,AA' }),
    ])
    expect(await json('import', file, '--dry-run')).toMatchObject({ dryRun: true, imported: 3, refused: 0 })
    expect(await json('find', 'import.test')).toEqual([])
    expect(await command('import', file)).toMatchObject({ code: 0, stdout: '3 imported, 0 already here, 0 refused.\n' })
    expect(await json('import', file)).toMatchObject({ imported: 0, present: 3, refused: 0 })
    expect(await json('show', 'github:4711')).toMatchObject({
      id: 'imp2',
      email: 'imp2@import.test',
      emailVerified: false,
      createdAt: '2024-05-06T07:08:09.000Z',
    })
    expect((await signIn('imp1@import.test', 'violet harbor imp1')).answer.status).toBe(200)
    expect((await signIn('imp3@import.test', 'violet harbor imp3')).answer.code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect(await events('imp2', 'import-user')).toMatchObject([
      { details: { from: 'better-auth', verified: false, accounts: 1 } },
    ])
    const { db } = (await running()).deps
    expect(await db.account.findFirstOrThrow({ where: { userId: 'imp2' } })).toMatchObject({
      scopes: ['user:email', 'read:user'],
    })
  })

  test('refuses by name what cannot be taken whole, takes the rest, and exits with 1', async () => {
    const { email } = await person()
    await leave()
    const file = await lines('mixed.ndjson', [
      await row('mix1', {
        accounts: [{ providerId: 'credential', accountId: 'mix1', password: '$2b$10$abcdefghijklmnopqrstuv' }],
      }),
      await row('mix2', { email }),
      await row('mix3', { email: 'no address' }),
      await row('mix4', { twoFactorEnabled: true }),
      await row('mix5', { accounts: [{ providerId: 'discord', accountId: '1' }] }),
      await row('mix6', { accounts: [{ providerId: 'google', accountId: 'same' }] }),
      await row('mix7', { accounts: [{ providerId: 'google', accountId: 'same' }] }),
      await row('mix8', { email: 'MIX6@import.test' }),
      'not a user',
      { id: 'mix9' },
    ])
    const { code, json: report, stderr } = await command('import', file, '--json')
    const { rows, ...total } = report as Report
    expect([code, total]).toEqual([1, { dryRun: false, imported: 2, present: 0, refused: 8 }])
    const reasonOf = (id: string) => rows.find((refused) => refused.id === id)?.reason
    expect(reasonOf('mix1')).toContain('neither scrypt')
    expect(reasonOf('mix2')).toContain('has its address')
    expect(reasonOf('mix3')).toContain('email: Invalid email address')
    expect(reasonOf('mix4')).toContain('second factor')
    expect(rows.find(({ id }) => id === 'mix5')?.notes).toEqual(expect.arrayContaining([expect.stringContaining('discord')]))
    expect(reasonOf('mix7')).toContain('one of its identities')
    expect(reasonOf('mix8')).toContain('its address')
    expect(reasonOf('mix9')).toContain('accounts')
    expect(stderr).toContain('refused  row 2')
    const { db } = (await running()).deps
    expect(
      await db.user.findMany({ where: { id: { startsWith: 'mix' } }, select: { id: true }, orderBy: { id: 'asc' } }),
    ).toEqual([{ id: 'mix5' }, { id: 'mix6' }])
    expect(await db.account.count({ where: { userId: { in: ['mix1', 'mix2', 'mix3', 'mix4', 'mix7', 'mix8', 'mix9'] } } })).toBe(
      0,
    )
    await leave()
    const again = await command('import', file, '--without-two-factor', '--json')
    expect(again.json).toMatchObject({ imported: 1, present: 2, refused: 7 })
    expect(await json('show', 'mix4')).toMatchObject({ twoFactorEnabled: false })
  })

  test('an id that is somebody else here is refused, and a file that is cut off says how far it came', async () => {
    await running()
    await leave()
    const file = join(folder, 'cut.ndjson')
    await writeFile(file, `${JSON.stringify(await row('cut1'))}\n{"id":"cut2",`)
    const cut = await command('import', file)
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringMatching(/Stopped at row 1; 1 were imported.+line 2/s) })
    const other = await lines('other.ndjson', [await row('cut1', { email: 'other@import.test' })])
    expect(await json('import', other)).toMatchObject({
      refused: 1,
      rows: [{ reason: expect.stringContaining('another address') }],
    })
    expect((await command('import', join(folder, 'missing.json'))).stderr).toContain('cannot be read')
    const list = join(folder, 'list.json')
    await writeFile(list, JSON.stringify([await row('list1')]))
    expect(await json('import', list)).toMatchObject({ imported: 1 })
  })
})

describe.runIf(isPostgres)("import from better-auth's own database", () => {
  test('T178: users that better-auth itself made sign in here, and the source stays as it was', async () => {
    const source = await createTestDatabase({ empty: true })
    const { url } = source.options as { url: string }
    const pool = new pg.Pool({ connectionString: url })
    const auth = betterAuth({
      baseURL: 'http://localhost:3000',
      secret: 'a key of better-auth that is long enough 9',
      database: pool,
      telemetry: { enabled: false },
      emailAndPassword: { enabled: true },
    })
    await (await getMigrations(auth.options)).runMigrations()
    for (const name of ['Grace', 'Edsger'])
      await auth.api.signUpEmail({ body: { name, email: `${name}@Source.test`, password: `violet harbor ${name}` } })
    await pool.query(`UPDATE "user" SET "emailVerified" = true WHERE name = 'Grace'`)
    const before = await pool.query('SELECT * FROM "user" ORDER BY id')

    await running()
    expect(await json('import', url, '--dry-run')).toMatchObject({ imported: 2, refused: 0 })
    expect(await json('import', url)).toMatchObject({ imported: 2, present: 0, refused: 0, rows: [] })
    expect(await json('import', url)).toMatchObject({ imported: 0, present: 2, refused: 0 })
    expect((await signIn('grace@source.test', 'violet harbor Grace')).answer.status).toBe(200)
    expect((await signIn('edsger@source.test', 'violet harbor Edsger')).answer.code).toBe('EMAIL_NOT_VERIFIED')
    const { rows } = before
    expect(await json('show', 'grace@source.test')).toMatchObject({
      id: expect.toBeOneOf(rows.map(({ id }) => id)),
      createdAt: rows.find(({ name }) => name === 'Grace').createdAt.toISOString(),
    })
    expect((await pool.query('SELECT * FROM "user" ORDER BY id')).rows).toEqual(rows)
    await pool.end()
    await source.drop()
  })

  test('a database without its tables is refused with what to do', async () => {
    const { url } = options as { url: string }
    const { code, stderr } = await command('import', url)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/relation "user" does not exist.+Do: /s)])
    expect(stderr).toContain('0 were imported')
  })
})
