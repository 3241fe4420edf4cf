import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminOf } from '@floorpass/testing/admin-command'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { signIn } from '@floorpass/testing/sign-in'
import { signInAt, userIn } from '@floorpass/testing/social-flow'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { hashPassword } from 'better-auth/crypto'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBetterAuthSource } from './better-auth-source.ts'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-import-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
afterAll(() => google.close())
const app = await createTestApp(google.environment)
const isPostgres = testDatabase.kind === 'postgres'
const command = adminOf(app)
const json = async (...args: string[]) => (await command(...args, '--json')).json

describe('import from a file', () => {
  const row = async (id: string, changes: Record<string, unknown> = {}) => ({
    id,
    name: `Import ${id}`,
    email: `${id}@Import.test`,
    emailVerified: true,
    createdAt: '2024-05-06T07:08:09.000Z',
    // Hashing takes a moment, so rows with their own accounts skip it.
    ...(!changes.accounts && {
      accounts: [{ providerId: 'credential', accountId: id, password: await hashPassword(`violet harbor ${id}`) }],
    }),
    ...changes,
  })
  const lines = async (name: string, rows: unknown[]) => {
    const file = join(folder, name)
    await writeFile(file, rows.map((item) => `${JSON.stringify(item)}\n`).join(''))
    return file
  }
  type Report = { imported: number; present: number; refused: number; rows: { id: string; reason?: string; notes: string[] }[] }

  test('T178: imports users with ids, dates, flags and identities, and their old passwords sign in', async () => {
    const file = await lines('good.ndjson', [
      await row('imp1'),
      await row('imp2', {
        accounts: [{ providerId: 'github', accountId: '4711', scope: 'user:email,read:user' }],
        createdAt: '2024-05-06 07:08:09',
      }),
      await row('imp3', { banned: true, image: 'data:image/png;base64,AA' }),
    ])
    expect(await json('import', file, '--dry-run')).toMatchObject({ dryRun: true, imported: 3, refused: 0 })
    expect(await json('find', 'import.test')).toEqual([])
    const { code, stdout } = await command('import', file)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^3 imported, 0 already here, 0 refused\.\n\nLeft behind:\n +1 {2}pictures\n$/),
    ])
    expect(await json('import', file)).toMatchObject({ imported: 0, present: 3, refused: 0 })
    expect(await json('show', 'github:4711')).toMatchObject({
      id: 'imp2',
      email: 'imp2@import.test',
      emailVerified: true,
      createdAt: '2024-05-06T07:08:09.000Z',
    })
    expect((await signIn(app, { email: 'imp1@import.test', password: 'violet harbor imp1' })).status).toBe(200)
    expect((await signIn(app, { email: 'imp3@import.test', password: 'violet harbor imp3' })).code).toBe(
      'INVALID_EMAIL_OR_PASSWORD',
    )
    expect(await app.db.auditEvent.findMany({ where: { userId: 'imp2', action: 'import-user' } })).toMatchObject([
      { details: { from: 'better-auth', verified: true, accounts: 1 } },
    ])
    const { db } = app
    expect(await db.account.findFirstOrThrow({ where: { userId: 'imp2' } })).toMatchObject({
      scopes: ['user:email', 'read:user'],
    })
  })

  test('reads a date without a time zone as UTC, wherever the service runs', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const zoned = '2024-05-06T07:08:09+02:00'
    const dates = { 'zone-1': '2024-05-06 07:08:09', 'zone-2': '2024-05-06T07:08:09', 'zone-3': zoned }
    const rows = await Promise.all(Object.entries(dates).map(([id, createdAt]) => row(id, { createdAt })))
    await command('import', await lines('zones.ndjson', rows))
    const users = await app.db.user.findMany({ where: { id: { in: Object.keys(dates) } }, orderBy: { id: 'asc' } })
    const hours = users.map(({ createdAt }) => createdAt.toISOString().slice(11, 16))
    expect(hours).toEqual(['07:08', '07:08', '05:08'])
  })

  test('refuses rows that it cannot import in full, imports the others, and exits with 1', async () => {
    const { email } = await app.verified()
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
      null,
      { id: 'mix9' },
      await row('mix-a', { two_factor_enabled: true }),
      await row('mix-b', { isBanned: true }),
      await row('mix-c', { accounts: [{ providerId: 'credential', accountId: '1', provider_id: 'x' }] }),
      await row('mix@import.test'),
      await row('google:1'),
      await row('mix-d', {
        accounts: [
          { providerId: 'credential', accountId: '1', password: null },
          { providerId: 'credential', accountId: '1', password: '$argon2id$v=19$m=4194304,t=50,p=1$c29tZXNhbHQ$aGFzaA' },
        ],
      }),
      await row('mix-e', { accounts: [{ providerId: 'google', accountId: '1', scope: 'a\u0000b' }] }),
      await row('mix-f', { createdAt: '-004800-01-01T00:00:00Z' }),
      // Seconds instead of milliseconds.
      await row('mix-g', { banned: true, banExpires: 1_890_000_000 }),
    ])
    const { code, json: report, stderr } = await command('import', file, '--json')
    const { rows, ...total } = report as Report
    expect([code, total]).toMatchObject([1, { dryRun: false, imported: 2, present: 0, refused: 18, leftOff: 0 }])
    const reasonOf = (id: string) => rows.find((refused) => refused.id === id)?.reason
    expect(reasonOf('mix1')).toContain('neither scrypt')
    expect(reasonOf('mix2')).toContain('has the same email address')
    expect(reasonOf('mix3')).toContain('email: Invalid email address')
    expect(reasonOf('mix4')).toContain('second factor')
    expect(rows.find(({ id }) => id === 'mix5')?.notes).toEqual(expect.arrayContaining([expect.stringContaining('discord')]))
    expect(reasonOf('mix7')).toContain('one of the identities')
    expect(reasonOf('mix8')).toContain('email address')
    expect(reasonOf('mix9')).toContain('accounts')
    expect(reasonOf('mix-a')).toContain('"two_factor_enabled" does not have')
    expect(reasonOf('mix-b')).toContain('"isBanned"')
    expect(reasonOf('mix-c')).toContain('"provider_id"')
    for (const id of ['mix@import.test', 'google:1']) expect(reasonOf(id)).toContain('id: Not 1 to 255 letters')
    expect(reasonOf('mix-d')).toContain('at an acceptable cost')
    expect(reasonOf('mix-e')).toContain('accounts.0.scope')
    expect(reasonOf('mix-f')).toContain('createdAt: Invalid date')
    expect(reasonOf('mix-g')).toContain('banExpires: Invalid date')
    expect(stderr).toContain('refused  row 2')
    const { db } = app
    expect(
      await db.user.findMany({ where: { id: { startsWith: 'mix' } }, select: { id: true }, orderBy: { id: 'asc' } }),
    ).toEqual([{ id: 'mix5' }, { id: 'mix6' }])
    expect(await db.account.count({ where: { userId: { in: ['mix1', 'mix2', 'mix3', 'mix4', 'mix7', 'mix8', 'mix9'] } } })).toBe(
      0,
    )
    const again = await command('import', file, '--without-two-factor', '--json')
    expect(again.json).toMatchObject({ imported: 1, present: 2, refused: 17 })
    expect(await json('show', 'mix4')).toMatchObject({ twoFactorEnabled: false })
  })

  test('refuses an id of another user, and says where a truncated file stopped', async () => {
    const file = join(folder, 'cut.ndjson')
    await writeFile(file, `${JSON.stringify(await row('cut1'))}\n{"id":"cut2",`)
    const cut = await command('import', file)
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringMatching(/Stopped at row 1; 1 were imported.+line 2/s) })
    const other = await lines('other.ndjson', [await row('cut1', { email: 'other@import.test' })])
    expect(await json('import', other)).toMatchObject({
      refused: 1,
      rows: [{ reason: expect.stringContaining('another email address') }],
    })
    expect((await command('import', join(folder, 'missing.json'))).stderr).toContain('cannot be read')
    const list = join(folder, 'list.json')
    const twice = { providerId: 'google', accountId: 'twice' }
    const argon2 = await app.service.deps.passwords.hash('violet harbor list2')
    await writeFile(
      list,
      JSON.stringify([
        await row('list1', { accounts: [twice, twice] }),
        await row('list2', { accounts: [{ providerId: 'credential', accountId: 'x', password: argon2 }] }),
        await row('list2'),
      ]),
    )
    expect(await json('import', list, '--dry-run')).toMatchObject({ imported: 2, refused: 0, present: 1 })
    expect(await json('import', list)).toMatchObject({ imported: 2, refused: 0, present: 1 })
    expect((await signIn(app, { email: 'list2@import.test', password: 'violet harbor list2' })).status).toBe(200)
  })

  test('a sign-up that never verified the email does not block its verified owner', async () => {
    const { email } = await app.signUp()
    const others = [(await app.signUp()).email, (await app.signedIn()).person.email]
    const file = await lines('squatted.ndjson', [await row('owner1', { email })])
    expect(await json('import', file)).toMatchObject({ imported: 1, refused: 0 })
    expect((await signIn(app, { email, password: 'violet harbor owner1' })).status).toBe(200)
    expect(await app.db.user.count({ where: { email: { in: others } } })).toBe(2)
  })

  test('suspends a banned user unless the ban is over, and refuses a user with two passwords', async () => {
    const account = async (password: string) => ({
      providerId: 'credential',
      accountId: 'twice1',
      password: await hashPassword(password),
    })
    const accounts = [await account('violet harbor one'), await account('violet harbor two')]
    const bans = { ban1: {}, ban2: { banExpires: '2020-01-01T00:00:00Z' }, ban3: { banExpires: '2999-01-01T00:00:00Z' } }
    const banned = Object.entries(bans).map(([id, ban]) => row(id, { accounts: [], banned: true, ...ban }))
    const file = await lines('banned.ndjson', [...(await Promise.all(banned)), await row('twice1', { accounts })])
    const { rows } = (await json('import', file)) as Report
    expect(rows.find(({ id }) => id === 'twice1')?.reason).toBe('The user has several passwords')
    const users = await app.db.user.findMany({ where: { id: { startsWith: 'ban' } }, orderBy: { id: 'asc' } })
    expect(users.map(({ suspendedAt }) => suspendedAt !== null)).toEqual([true, false, true])
  })

  test('replaces no sign-up by an unverified row, and none that is suspended or was imported', async () => {
    const [open, suspended] = [await app.signUp(), await app.signUp()]
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    const accounts: unknown[] = []
    const imported = await row('held1', { emailVerified: false, accounts })
    const holders = () => app.db.user.findMany({ where: { email: { in: [open.email, suspended.email, 'held1@import.test'] } } })
    expect(await json('import', await lines('held.ndjson', [imported]))).toMatchObject({ imported: 1 })
    const before = await holders()
    const rows = [
      await row('taker1', { email: open.email, emailVerified: false, accounts }),
      await row('taker2', { email: suspended.email, accounts }),
      await row('taker3', { email: imported.email, accounts }),
    ]
    for (const dryRun of [['--dry-run'], []])
      expect(await json('import', await lines('takers.ndjson', rows), ...dryRun)).toMatchObject({
        imported: 0,
        rows: Array(3).fill({ reason: 'A user of this service has the same email address' }),
      })
    expect(await holders()).toEqual(before)
    expect(before).toHaveLength(3)
  })
})

describe('an imported user with an unverified email', () => {
  const importUnverified = async (id: string) => {
    const file = join(folder, `${id}.ndjson`)
    const email = `${id}@import.test`
    const accounts = [
      { providerId: 'credential', accountId: id, password: await hashPassword(`violet harbor ${id}`) },
      { providerId: 'google', accountId: `google-${id}` },
    ]
    const user = { id, name: 'Ada Imported', email, emailVerified: false, updatedAt: '2020-01-01T00:00:00Z', accounts }
    await writeFile(file, JSON.stringify(user))
    expect(await json('import', file)).toMatchObject({
      imported: 1,
      rows: [{ notes: [expect.stringContaining('not verified')] }],
    })
    return email
  }
  const atGoogle = (sub: string, email: string) => {
    google.person = { sub, email, email_verified: true, name: 'Ada at Google' }
    return signInAt(app, 'google')
  }

  test('cannot sign in before verification, neither with the password nor with an imported identity', async () => {
    const email = await importUnverified('imported-closed')
    expect((await signIn(app, { email, password: 'violet harbor imported-closed' })).code).toBe('EMAIL_NOT_VERIFIED')
    expect(await app.db.account.count({ where: { userId: 'imported-closed', providerId: 'google' } })).toBe(0)
    const { tab } = await atGoogle('google-imported-closed', 'another@example.test')
    expect((await userIn(tab))?.id).not.toBe('imported-closed')
  })

  test('T81: keeps the id when a provider verifies the email, and loses the imported password, identities and passkeys', async () => {
    const email = await importUnverified('imported-google')
    const passkey = { credentialId: 'imported', publicKey: new Uint8Array(32), isSyncable: false, backedUp: false, aaguid: '' }
    await app.db.passkey.create({ data: { ...passkey, userId: 'imported-google', name: 'Of another person' } })
    const bystander = await app.signedIn()
    const { userId } = bystander
    await app.db.passkey.create({ data: { ...passkey, credentialId: 'of-a-bystander', userId, name: 'Laptop' } })
    const { tab } = await atGoogle('new-google', email)
    expect(await userIn(tab)).toMatchObject({ id: 'imported-google', email, emailVerified: true, name: 'Ada Imported' })
    expect((await signIn(app, { email, password: 'violet harbor imported-google' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const accounts = await app.db.account.findMany({ where: { userId: 'imported-google' } })
    expect(accounts).toMatchObject([{ providerId: 'google', accountId: 'new-google' }])
    expect(await app.db.passkey.count({ where: { userId: 'imported-google' } })).toBe(0)
    const kept = [app.db.account.count({ where: { userId } }), app.db.passkey.count({ where: { userId } })]
    expect([await userIn(bystander), ...(await Promise.all(kept))]).toMatchObject([{ id: userId }, 1, 1])
  })

  test('voids the reset links that were sent before the email was claimed', async () => {
    const email = await importUnverified('imported-reset')
    await app.browser().post('/auth/forget-password', { email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(email)
    await atGoogle('reset-google', email)
    const reset = await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })
    expect(reset.code).toBe('INVALID_TOKEN')
  })

  test('keeps id and name after another sign-up with that email, and loses the imported password', async () => {
    const email = await importUnverified('imported-again')
    await app.signUp(app.person({ email, name: 'Mallory' }))
    const user = await app.db.user.findUniqueOrThrow({ where: { email } })
    expect(user).toMatchObject({ id: 'imported-again', name: 'Ada Imported' })
    expect((await signIn(app, { email, password: 'violet harbor imported-again' })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    await app.browser().post('/auth/forget-password', { email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(email)
    const newPassword = 'tidal lantern 4711'
    expect((await app.browser().post('/auth/reset-password', { token, newPassword })).status).toBe(200)
    expect((await signIn(app, { email, password: newPassword })).body).toMatchObject({ user: { id: 'imported-again' } })
  })

  test('keeps the email when another user asks for it before or after the import', async () => {
    const mover = await app.signedIn()
    const ask = async (newEmail: string) => {
      await mover.post('/auth/change-email', { newEmail, password: mover.person.password })
      await app.drainMail()
    }
    await ask('imported-moved@import.test')
    const { token } = app.outbox.lastTo('imported-moved@import.test')
    const email = await importUnverified('imported-moved')
    const mails = app.outbox.to(email).length
    expect((await mover.post('/auth/verify-email', { token })).code).toBe('INVALID_TOKEN')
    await ask(email)
    expect(app.outbox.to(email)).toHaveLength(mails)
    expect(await app.db.user.findUnique({ where: { email } })).toMatchObject({ id: 'imported-moved' })
  })

  test('keeps the email when its former owner undoes an email change: EMAIL_TAKEN', async () => {
    const mover = await app.signedIn(app.person({ email: 'imported-undo@import.test' }))
    const newEmail = 'moved-away@example.test'
    await mover.post('/auth/change-email', { newEmail, password: mover.person.password })
    await app.drainMail()
    expect((await mover.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })).status).toBe(200)
    await app.drainMail()
    const { token } = app.outbox.lastTo('imported-undo@import.test')
    const email = await importUnverified('imported-undo')
    expect((await app.browser().post('/auth/undo-email-change', { token })).code).toBe('EMAIL_TAKEN')
    expect(await app.db.user.findUnique({ where: { email } })).toMatchObject({ id: 'imported-undo' })
  })
})

describe.runIf(isPostgres)("import from better-auth's own database", () => {
  test('T178: users created by better-auth sign in here, and the source does not change', async () => {
    const { auth, pool, url, close } = await createBetterAuthSource({})
    for (const name of ['Grace', 'Edsger'])
      await auth.api.signUpEmail({ body: { name, email: `${name}@Source.test`, password: `violet harbor ${name}` } })
    await pool.query(`UPDATE "user" SET "emailVerified" = true WHERE name = 'Grace'`)
    const before = await pool.query('SELECT * FROM "user" ORDER BY id')

    expect(await json('import', url, '--dry-run')).toMatchObject({ imported: 2, refused: 0 })
    expect(await json('import', url)).toMatchObject({ imported: 2, present: 0, refused: 0, rows: [] })
    expect(await json('import', url)).toMatchObject({ imported: 0, present: 2, refused: 0 })
    expect((await signIn(app, { email: 'grace@source.test', password: 'violet harbor Grace' })).status).toBe(200)
    expect((await signIn(app, { email: 'edsger@source.test', password: 'violet harbor Edsger' })).code).toBe('EMAIL_NOT_VERIFIED')
    const { rows } = before
    expect(await json('show', 'grace@source.test')).toMatchObject({
      id: expect.toBeOneOf(rows.map(({ id }) => id)),
      createdAt: rows.find(({ name }) => name === 'Grace').createdAt.toISOString(),
    })
    expect((await pool.query('SELECT * FROM "user" ORDER BY id')).rows).toEqual(rows)
    await close()
  })

  test('refuses a database without the tables and says what to do', async () => {
    const source = await createTestDatabase({ empty: true })
    const { code, stderr } = await command('import', (source.options as { url: string }).url)
    await source.drop()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/relation "user" does not exist.+Do: /s)])
    expect(stderr).toContain('0 were imported')
  })
})
