import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openDatabase } from '@floorpass/db'
import { ask, findPostgres, freePort, outboxOf, runJourney, signIn } from '@floorpass/reliability'
import { openForOperator } from '@floorpass/service'
import { admin, adminHere } from '@floorpass/testing/admin-command'
import { failToStart, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { asAdmin, urlOf } from '@floorpass/testing/test-templates'
import { afterEach, describe, expect, inject, test } from 'vitest'

const execute = promisify(execFile)
const page = await readFile(fileURLToPath(new URL('../../../../../docs/database-roles.md', import.meta.url)), 'utf8')
const templates = inject('testTemplates')
const adminUrl = templates.kind === 'postgres' ? templates.adminUrl : ''
const secret = 'a key of the tests that is long enough 7Q'

/** The statements of a block of the page, with other names: roles belong to the whole server. */
const statementsOf = (block: string, names: Record<string, string>): string[] => {
  const text = new RegExp(`\`\`\`sql ${block}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
  expect(text, `the block ${block} of the page`).not.toBe('')
  return text
    .replaceAll(/\bfloorpass(_owner|_service)?\b/g, (name) => names[name] ?? name)
    .split(/;\s*\n/)
    .filter((statement) => statement.trim() !== '')
}

const runAs = (url: string, statements: readonly string[]) =>
  asAdmin(url, async (client) => {
    for (const statement of statements) await client.query(statement)
  })

type Setup = {
  owner: string
  service: string
  roles: { owner: string; service: string }
  adminOfDatabase: string
  run(block: string): Promise<void>
}
const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Creates the roles and a database by the page. Resolves to the URLs of the roles. */
async function setUp(blocks: readonly string[] = ['rights']): Promise<Setup> {
  const id = `floorpass_${randomBytes(5).toString('hex')}`
  const names = { floorpass: id, floorpass_owner: `${id}_owner`, floorpass_service: `${id}_service` }
  cleanUps.push(() =>
    runAs(adminUrl, [
      `DROP DATABASE IF EXISTS ${id} WITH (FORCE)`,
      `DROP DATABASE IF EXISTS ${id}_restored WITH (FORCE)`,
      `DROP ROLE IF EXISTS ${id}_owner, ${id}_service`,
    ]),
  )
  await runAs(adminUrl, statementsOf('roles', names))
  const adminOfDatabase = urlOf(adminUrl, id)
  const run = (block: string) => runAs(adminOfDatabase, statementsOf(block, names))
  for (const block of blocks) await run(block)
  const urlFor = (username: string, password: string) => Object.assign(new URL(adminOfDatabase), { username, password }).href
  return {
    owner: urlFor(`${id}_owner`, 'change-1'),
    service: urlFor(`${id}_service`, 'change-2'),
    roles: { owner: `${id}_owner`, service: `${id}_service` },
    adminOfDatabase,
    run,
  }
}

/** Migrates in this process: a process of the command line takes seconds to load. */
const migrateAs = (url: string, ...flags: string[]) => adminHere({ DATABASE_URL: url }, 'migrate', ...flags)

describe.runIf(testDatabase.kind === 'postgres')('with a role that may not change the schema', () => {
  test('the service, the sweep, the import and every admin command run, and the owner migrates, dumps and restores', async () => {
    const { owner, service, roles, run, adminOfDatabase } = await setUp()
    // Neither AUTH_SECRET nor BASE_URL, and no service has started before.
    expect(await admin({ DATABASE_URL: service }, 'migrate', '--plan')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('_init'),
    })
    expect(await admin({ DATABASE_URL: owner }, 'migrate')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ migrations applied\.\n$/),
    })
    expect(await migrateAs(owner)).toMatchObject({ code: 0, stdout: 'No migration is pending.\n' })
    expect(await migrateAs(service, '--plan')).toMatchObject({ code: 0, stdout: 'No migration is pending.\n' })
    await run('history')

    const environment = {
      DATABASE_URL: service,
      DATA_DIR: await temporaryFolder(),
      AUTH_SECRET: secret,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
    }
    const server = await startServer(environment)
    const person = await runJourney(
      [{ url: server.url, origin: server.url.replace('127.0.0.1', 'localhost') }],
      outboxOf(environment.DATA_DIR),
    )
    const operator = { ...environment, BASE_URL: `http://localhost:${server.port}` }
    expect(await adminHere(operator, 'show', person.email, '--json')).toMatchObject({ code: 0, json: { email: person.email } })
    expect(await adminHere(operator, 'revoke-sessions', person.email)).toMatchObject({ code: 0 })
    const file = join(environment.DATA_DIR, 'users.ndjson')
    await writeFile(
      file,
      JSON.stringify({
        id: 'imported1',
        email: 'grace@example.com',
        name: 'Grace',
        emailVerified: true,
        createdAt: '2026-01-01',
        accounts: [],
      }),
    )
    expect(await adminHere(operator, 'import', file)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 imported') })

    await runAs(adminOfDatabase, [
      `UPDATE sessions SET expires_at = now() - interval '1 day'`,
      `INSERT INTO audit_events (id, user_id, action, created_at)
       SELECT '00000000-0000-7000-8000-000000000000', min(id), 'sign-in', now() - interval '500 days' FROM users`,
    ])
    const swept = await openForOperator(operator)
    const removed = await swept.expirySweep.sweep()
    await swept.stop()
    expect(removed).toMatchObject({ audit_events: expect.any(Number) })
    expect(server.logs().filter(({ level }) => Number(level) >= 40)).toEqual([])
    await server.end('SIGTERM')

    const role = await openDatabase({ kind: 'postgres', url: service })
    for (const forbidden of [
      'CREATE TABLE other (id int)',
      'CREATE TEMPORARY TABLE other (id int)',
      'DROP TABLE users',
      'ALTER TABLE users ADD COLUMN other int',
      'ALTER TABLE users DISABLE TRIGGER ALL',
      'TRUNCATE sessions',
      'DELETE FROM _prisma_migrations',
    ])
      await expect(role.db.$executeRawUnsafe(forbidden), forbidden).rejects.toThrow(/permission denied|must be owner/)
    await role.close()

    const tools = findPostgres()
    if (tools === null) return
    const dump = join(environment.DATA_DIR, 'floorpass.dump')
    await execute(join(tools, 'pg_dump'), ['--format=custom', `--file=${dump}`, owner])
    await runAs(adminUrl, [`CREATE DATABASE ${new URL(owner).pathname.slice(1)}_restored OWNER ${roles.owner}`])
    const restored = (url: string) => `${url}_restored`
    await execute(join(tools, 'pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${restored(owner)}`, dump])
    const successor = await startServer({ ...environment, DATABASE_URL: restored(service) })
    const target = { url: successor.url, origin: successor.url.replace('127.0.0.1', 'localhost') }
    expect(await signIn(target, person)).toMatchObject({ status: 200, body: { twoFactorRedirect: true } })
    expect((await ask(target, 'GET', '/readyz')).status).toBe(200)
    await successor.end('SIGTERM')
  })

  test('a start with a pending migration ends, and names the role, the missing right and the command', async () => {
    const { owner, service, roles, adminOfDatabase } = await setUp()
    const environment = async () => ({ DATABASE_URL: service, DATA_DIR: await temporaryFolder(), AUTH_SECRET: secret })
    const onEmpty = await failToStart(await environment())
    expect(onEmpty).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database was not migrated: \d+ migrations are pending, first /),
    })
    expect(onEmpty.stderr).toContain(`the role ${roles.service} may not apply them, because it lacks CREATE on schema public.`)
    expect(onEmpty.stderr).toContain('Run `npm run admin -- migrate` with the DATABASE_URL of the role that owns the tables')
    expect(onEmpty.stderr).not.toMatch(/change-2|^\s+at /m)

    await migrateAs(owner)
    await runAs(adminOfDatabase, [
      `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
    ])
    const [onOlder, off] = await Promise.all([
      failToStart(await environment()),
      failToStart({ ...(await environment()), MIGRATE_ON_START: 'false' }),
    ])
    expect(onOlder).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `: the migration \\d+_\\w+ is pending, and the role ${roles.service} may not apply it, because it does not own the tables, ${roles.owner} does\\.`,
        ),
      ),
    })
    expect(await migrateAs(service)).toMatchObject({ code: 1, stderr: expect.stringContaining(`${roles.owner} does.`) })
    expect(off).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /older than this version: the migration \d+_\w+ is pending\. With MIGRATE_ON_START=false a start applies none: run `npm run admin -- migrate`/,
      ),
    })
  })

  test('a role without USAGE, or without SELECT on the history, is named', async () => {
    const { owner, service, roles, adminOfDatabase } = await setUp()
    await migrateAs(owner)
    await runAs(adminOfDatabase, [`REVOKE ALL ON _prisma_migrations FROM ${roles.service}`])
    expect(await migrateAs(service, '--plan')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `The role ${roles.service} may not read which migrations are applied: it lacks SELECT on _prisma_migrations.`,
      ),
    })
    await runAs(adminOfDatabase, [
      'REVOKE USAGE ON SCHEMA public FROM PUBLIC',
      `REVOKE USAGE ON SCHEMA public FROM ${roles.service}`,
    ])
    expect(await migrateAs(service, '--plan')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The role ${roles.service} may use no schema of its search_path: it lacks USAGE`),
    })
  })

  test('a database that the service owned until now moves to two roles', async () => {
    const { owner, service, roles, run, adminOfDatabase } = await setUp([])
    await runAs(adminOfDatabase, [`GRANT CREATE ON SCHEMA public TO ${roles.service}`])
    expect(await migrateAs(service)).toMatchObject({ code: 0 })
    for (const block of ['existing', 'rights', 'history']) await run(block)
    await runAs(adminOfDatabase, [`REVOKE CREATE ON SCHEMA public FROM ${roles.service}`])
    const environment = { DATABASE_URL: service, DATA_DIR: await temporaryFolder(), AUTH_SECRET: secret, RATE_LIMIT: 'off' }
    const server = await startServer(environment)
    await runJourney([{ url: server.url, origin: server.url.replace('127.0.0.1', 'localhost') }], outboxOf(environment.DATA_DIR))
    await server.end('SIGTERM')
    await runAs(owner, ['ALTER TABLE users ADD COLUMN other int'])
  })
})

describe('migrate', () => {
  test.runIf(testDatabase.kind === 'postgres')('says that nothing was changed on a database that does not answer', async () => {
    const url = `postgresql://floorpass:hunter2@127.0.0.1:${await freePort()}/floorpass`
    const { code, stderr } = await admin({ DATABASE_URL: url }, 'migrate')
    expect(code).toBe(1)
    expect(stderr).toMatch(/Nothing was read, and nothing was changed[\s\S]+Nothing listens there/)
    expect(stderr).not.toMatch(/may have taken effect|hunter2/)
  })

  test.runIf(testDatabase.kind === 'embedded')(
    'creates and migrates an embedded database that no service has started on; the plan creates nothing',
    async () => {
      const DATA_DIR = join(await temporaryFolder(), 'new')
      const plan = await adminHere({ DATA_DIR }, 'migrate', '--plan', '--json')
      expect(plan).toMatchObject({
        code: 3,
        json: { pending: expect.arrayContaining([expect.objectContaining({ name: '20261121000000_init' })]) },
      })
      await expect(readFile(DATA_DIR)).rejects.toMatchObject({ code: 'ENOENT' })
      expect(await admin({ DATA_DIR }, 'migrate')).toMatchObject({ code: 0, stdout: expect.stringMatching(/migrations applied/) })
      expect(await adminHere({ DATA_DIR }, 'migrate', '--plan')).toMatchObject({ code: 0, stdout: 'No migration is pending.\n' })
    },
  )

  test.runIf(testDatabase.kind === 'postgres')('waits for a service that migrates at the same moment', async () => {
    const { owner } = await setUp()
    const environment = { DATABASE_URL: owner, DATA_DIR: await temporaryFolder(), AUTH_SECRET: secret }
    const [server, ...results] = await Promise.all([
      startServer(environment),
      admin({ DATABASE_URL: owner }, 'migrate', '--json'),
      migrateAs(owner, '--json'),
    ])
    expect(results.map(({ code }) => code)).toEqual([0, 0])
    const applied = [
      ...results.flatMap(({ json }) => (json as { applied: string[] }).applied),
      ...server.logs().flatMap(({ applied: names }) => (names as string[]) ?? []),
    ]
    expect(new Set(applied).size).toBe(applied.length)
    expect(await migrateAs(owner, '--plan')).toMatchObject({ code: 0 })
    await server.end('SIGTERM')
  })
})
