import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import { variables } from '@floorpass/env'
import { openForOperator } from '@floorpass/service'
import { admin, adminHere } from '@floorpass/testing/admin-command'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { root, startTool } from '@floorpass/testing/tool-process'
import { afterAll, describe, expect, test } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-admin-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const isPostgres = testDatabase.kind === 'postgres'
const secret = 'a key of the tests that is long enough 7Q'
const environment = {
  DATA_DIR: folder,
  BASE_URL: 'http://localhost:3000',
  AUTH_SECRET: secret,
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'silent',
}
/** The database settings of an app, for a second process. */
const urlOf = async ({ db }: TestApp): Promise<string> => {
  const [row] = await db.$queryRaw<{ name: string }[]>`SELECT current_database() AS name`
  return Object.assign(new URL(process.env.TEST_DATABASE_URL || (process.env.DATABASE_URL ?? '')), { pathname: `/${row?.name}` })
    .href
}

describe('the command line', () => {
  test('prints how to use it', async () => {
    const { code, stdout } = await admin({ DATA_DIR: folder })
    expect([code, stdout]).toEqual([0, expect.stringContaining('npm run admin -- <command>')])
  })

  test('lists every wrong setting, like the service', async () => {
    const { code, stderr } = await adminHere({ DATA_DIR: folder, BASE_URL: 'https://accounts.example.com' }, 'find', 'ada')
    expect(code).toBe(1)
    expect(stderr).toMatch(/AUTH_SECRET is missing.+SMTP_URL is missing/s)
  })

  test('does not create a database', async () => {
    const empty = join(folder, 'nothing')
    const { code, stderr } = await adminHere({ DATA_DIR: empty }, 'find', 'ada')
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database')])
    await expect(stat(empty)).rejects.toThrow('ENOENT')
  })

  // Only a run on the embedded database has a template for it; building one takes half a minute.
  test.runIf(!isPostgres)('refuses an embedded database that a running service holds, and says what to do', async () => {
    const embedded = { ...environment, DATA_DIR: join(folder, 'busy') }
    const { options } = await createTestDatabase()
    const busy = await openDatabase({ ...options, directory: join(folder, 'busy', 'database') } as typeof options)
    const { code, stderr } = await admin(embedded, 'find', 'ada')
    await busy.close()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/another process \(id \d+\) is using it.+Stop that process/)])
    expect(await adminHere(embedded, 'find', 'ada')).toMatchObject({ code: 0, stdout: 'No user found.\n' })
  })

  // Tests copy the embedded database from a template, so it has neither an older version nor a network.
  test.runIf(isPostgres)('leaves migrations to the service', async () => {
    const old = await createTestDatabase({ empty: true })
    const { code, stderr } = await adminHere(
      { ...environment, DATABASE_URL: (old.options as { url: string }).url },
      'import',
      'users.ndjson',
    )
    await old.drop()
    expect([code, stderr]).toEqual([1, expect.stringContaining('The database is empty: no migration was applied yet.')])
    expect(stderr).toContain('Start this version of the service once, or run `npm run admin -- migrate`.')
    expect(stderr).not.toContain('older')
  })

  test.runIf(!isPostgres)('closes the database after a wrong command line', async () => {
    const open = { ...environment, DATA_DIR: join(folder, 'busy') }
    expect((await adminHere(open, 'migrate', 'extra')).code).toBe(2)
    expect(await adminHere(open, 'migrate', '--plan')).toMatchObject({ code: 0, stdout: 'No migration is pending.\n' })
  })

  test.runIf(isPostgres)('says why the database cannot be used', async () => {
    const away = { ...environment, DATABASE_URL: 'postgres://absent@127.0.0.1:1/none' }
    const { code, stderr } = await adminHere(away, 'mails')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be used: .+ECONNREFUSED.+Nothing listens there/)])
    expect(stderr).not.toContain('may have taken effect')
  })

  // Only one process can open the embedded database.
  test.runIf(isPostgres)('T183: works beside the running service, which applies the change at once', async () => {
    const app = await createTestApp({ AUTH_SECRET: secret })
    const beside = await app.signedIn()
    const database = { ...environment, DATABASE_URL: await urlOf(app) }
    expect((await beside.get('/auth/list-sessions')).status).toBe(200)
    expect(await admin(database, 'revoke-sessions', beside.person.email)).toMatchObject({ code: 0, stdout: '1 session ended.\n' })
    await eventually(async () => expect((await beside.get('/auth/list-sessions')).status).toBe(401))
  })
})

describe('the secret of the service', () => {
  const kept = (folderOfIt: string) => existsSync(join(folderOfIt, 'auth-secret'))

  test('is never created by a command: on PostgreSQL the operator sets it, together with BASE_URL', async () => {
    const empty = join(folder, 'no-secret')
    const database = { DATA_DIR: empty, DATABASE_URL: 'postgres://absent@127.0.0.1:1/none' }
    await expect(openForOperator(database)).rejects.toThrow(/BASE_URL must be set.+AUTH_SECRET must be set/s)
    await expect(openForOperator({ ...database, AUTH_SECRET: secret })).rejects.toThrow(/BASE_URL must be set/)
    await expect(openForOperator({ ...database, BASE_URL: 'http://localhost:3000' })).rejects.toThrow(/AUTH_SECRET must be set/)
    expect(kept(empty)).toBe(false)
  })

  test('needs BASE_URL beside AUTH_SECRET, even with an embedded database', async () => {
    const deployed = join(folder, 'deployed')
    await mkdir(join(deployed, 'database'), { recursive: true })
    const asked = openForOperator({ DATA_DIR: deployed, AUTH_SECRET: secret })
    await expect(asked).rejects.toThrow(/BASE_URL must be set if AUTH_SECRET is/)
  })

  test('is never created by a command: with an embedded database it is the one of the service', async () => {
    const lost = join(folder, 'lost-secret')
    await mkdir(join(lost, 'database'), { recursive: true })
    await expect(openForOperator({ DATA_DIR: lost })).rejects.toThrow('There is no secret in')
    expect(kept(lost)).toBe(false)
  })

  // Both databases share this check, but only PostgreSQL has a second process with another secret.
  test.runIf(isPostgres)(
    'must be the secret that sealed last, so that commands can open notices and drop no mail unread',
    async () => {
      const app = await createTestApp({ AUTH_SECRET: secret })
      const { email } = await app.signUp()
      const settings = { ...environment, DATABASE_URL: await urlOf(app) }
      const other = { ...settings, AUTH_SECRET: 'another key of the tests that is long 8W' }
      await expect(openForOperator(other)).rejects.toThrow(/AUTH_SECRET does not open/)
      for (const [source, options] of [
        [settings, {}],
        [{ ...settings, AUTH_SECRET: `${other.AUTH_SECRET},${secret}` }, {}],
        [other, { secretIsNew: true }],
      ] as const) {
        const service = await openForOperator(source, options)
        expect(await service.deps.db.user.count({ where: { email } })).toBe(1)
        await service.stop()
      }
    },
  )
})

// Only PostgreSQL allows a process beside the service.
describe.runIf(isPostgres)('a running command', () => {
  const beside = async () => {
    const app = await createTestApp({ AUTH_SECRET: secret })
    return { app, settings: { ...environment, DATABASE_URL: await urlOf(app) } }
  }

  test('an import that was killed resumes and creates no user twice', async () => {
    const { app, settings } = await beside()
    // Several batches, so that the signal arrives between two of them.
    const people = 5_000
    const file = join(folder, 'killed.ndjson')
    const rows = Array.from({ length: people }, (_, count) => ({
      id: `killed-${count}`,
      name: `Import ${count}`,
      email: `killed-${count}@example.test`,
      emailVerified: true,
      accounts: [{ providerId: 'github', accountId: `killed-${count}` }],
    }))
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const imported = { id: { startsWith: 'killed-' } }
    const of = { userId: { startsWith: 'killed-' } }
    const counts = async () => [
      await app.db.user.count({ where: imported }),
      await app.db.account.count({ where: of }),
      await app.db.auditEvent.count({ where: { ...of, action: 'import-user' } }),
    ]

    const killed = startTool('admin', ['import', file], { environment: settings })
    await eventually(async () => expect(await app.db.user.count({ where: imported })).toBeGreaterThan(5), 60_000)
    killed.child.kill('SIGKILL')
    expect((await killed.ended).code).toBeNull()
    await eventually(async () => {
      const [users, ...others] = await counts()
      expect(others).toEqual([users, users])
    })
    const [before = 0] = await counts()
    expect(before).toBeLessThan(people)

    expect((await admin(settings, 'import', file, '--json')).json).toMatchObject({
      imported: people - before,
      present: before,
      refused: 0,
    })
    expect(await counts()).toEqual([people, people, people])
    expect((await admin(settings, 'import', file, '--json')).json).toMatchObject({ imported: 0, present: people })
    expect(await counts()).toEqual([people, people, people])
  })

  // `script` of util-linux gives the command a pseudo terminal.
  const script = spawnSync('script', ['--version'])
  test.runIf(script.status === 0 && /util-linux/.test(String(script.stdout)))(
    'asks at a terminal to type the email before an irreversible change',
    async () => {
      const { app, settings } = await beside()
      const { email } = await app.signUp()
      const isSuspended = async () => (await app.db.user.findUniqueOrThrow({ where: { email } })).suspendedAt !== null
      const suspend = async (typed: string | null) => {
        const line = `"$TOOL" scripts/run-typescript.mjs apps/service/src/admin.ts suspend ${email} --reason "a stolen phone"`
        const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
          cwd: root,
          env: {
            ...Object.fromEntries(variables.map((name) => [name, ''])),
            PATH: process.env.PATH,
            TOOL: process.execPath,
            ...settings,
          },
          stdio: ['pipe', 'pipe', 'pipe'],
        })
        let seen = ''
        terminal.stdout.on('data', (chunk: Buffer) => {
          const hadAsked = seen.includes('to continue:')
          seen += chunk
          if (hadAsked || !seen.includes('to continue:')) return
          // Ctrl-D closes the input.
          terminal.stdin.write(typed === null ? '\u0004' : `${typed}\r`)
        })
        const [code] = (await once(terminal, 'close')) as [number]
        return { code, seen }
      }

      const wrong = await suspend('yes')
      expect([wrong.code, wrong.seen]).toEqual([1, expect.stringContaining('Nothing was done.')])
      expect(wrong.seen).toContain('The owner is locked out until you restore the account.')
      expect((await suspend(null)).code).toBe(1)
      expect(await isSuspended()).toBe(false)
      const right = await suspend(email)
      expect([right.code, right.seen]).toEqual([0, expect.stringContaining(`${email} is suspended`)])
      expect(await isSuspended()).toBe(true)
    },
  )
})
