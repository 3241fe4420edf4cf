import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPartialWrites, withDatabase } from '../check-database.ts'
import { ask, outboxOf, signedInPerson, signIn } from '../person.ts'
import { findPostgres } from '../postgres-cluster.ts'
import { expectThat, type Scenario } from '../scenario.ts'
import { startService } from '../service-process.ts'
import { startTraffic } from '../traffic.ts'

const run = promisify(execFile)

export const backupPostgres: Scenario = {
  name: 'backup-postgres',
  promise:
    'pg_dump runs under load, and pg_restore fills an empty database (docs/backup.md). Every write acknowledged before the dump is there, none is partial, users can sign in, and sessions continue.',
  needs: ['postgres'],
  async run({ postgres, folder }) {
    const cluster = await postgres()
    const [from, to] = [await cluster.createDatabase(), await cluster.createDatabase()]
    const environment = { DATABASE_URL: from, DATA_DIR: await folder(), RATE_LIMIT: 'off', LOG_LEVEL: 'error' }
    const service = await startService(environment)
    const target = { url: service.url, origin: service.url }
    const mailbox = outboxOf(environment.DATA_DIR)
    const person = await signedInPerson(target, mailbox)
    const traffic = await startTraffic(target, mailbox)
    await delay(3_000)
    const before = [...traffic.signedUp]
    const started = Date.now()
    const tool = (name: string) => join(findPostgres() ?? '', name)
    const file = join(environment.DATA_DIR, 'floorpass.dump')
    await run(tool('pg_dump'), ['--format=custom', `--file=${file}`, from])
    await run(tool('pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${to}`, file])
    const took = Date.now() - started
    await traffic.stop()
    await service.end('SIGTERM')

    const restored = { ...environment, DATABASE_URL: to }
    const successor = await startService(restored)
    const restoredTarget = { url: successor.url, origin: successor.url }
    const problems: string[] = []
    const session = await ask(restoredTarget, 'GET', '/auth/get-session', { cookie: person.cookie })
    expectThat(problems, (session.body?.user as { email?: string } | undefined)?.email === person.email, 'a session ended')
    expectThat(problems, (await signIn(restoredTarget, person)).status === 200, 'sign-in fails')
    await successor.end('SIGTERM')
    const [missing, partial] = await withDatabase(restored, async (db) => {
      const known = new Set((await db.user.findMany()).map(({ email }) => email))
      return [before.filter((email) => !known.has(email)), await findPartialWrites(db)]
    })
    problems.push(...missing.map((email) => `lost: sign-up of ${email}`), ...partial)
    return {
      load: '8 callers, writing while the dump runs',
      faults: 'the database replaced by its dump',
      requests: traffic.attempts.length,
      lost: `${missing.length} of ${before.length} sign-ups that were acknowledged before the dump`,
      recovery: `dumped and restored in ${(took / 1000).toFixed(1)} s`,
      problems,
    }
  },
}
