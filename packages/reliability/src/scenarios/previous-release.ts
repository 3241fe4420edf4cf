import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPartialWrites, withDatabase } from '../check-database.ts'
import { runJourney } from '../journey.ts'
import { outboxOf, type Target } from '../person.ts'
import { buildRelease, findPreviousRelease } from '../previous-release.ts'
import { expectThat, type Scenario } from '../scenario.ts'
import { freePort, onlyThese, startService } from '../service-process.ts'

const execute = promisify(execFile)

export const previousRelease: Scenario = {
  name: 'previous-release',
  promise:
    'The previous release runs on the schema of this one, alone and beside it: sign-up, sign-in, sessions, a new password, an organization, two-factor, the command line and the sweep (ADR 047).',
  needs: ['postgres', 'history'],
  async run({ postgres, folder, say }) {
    const release = await findPreviousRelease()
    if (!release) throw new Error('no previous release in this clone')
    const checkout = await folder()
    const began = Date.now()
    const { packages, remove } = await buildRelease(release, checkout)
    const built = ((Date.now() - began) / 1000).toFixed(0)
    say(`built ${release.name} with ${packages} in ${built} s`)

    const problems: string[] = []
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      const started = Date.now()
      await work().then(
        () => say(`${what}: held in ${Date.now() - started} ms`),
        (error: Error) => problems.push(`${what}: ${error.message.split('\n').slice(0, 3).join(' ')}`),
      )
    }
    const BASE_URL = `http://localhost:${await freePort()}`
    const environment = {
      DATABASE_URL: await (await postgres()).createDatabase(),
      DATA_DIR: await folder(),
      BASE_URL,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
    }
    const services = [await startService(environment), await startService(environment, [], checkout)]
    const [current, previous] = services.map(({ url }) => ({ url, origin: BASE_URL })) as [Target, Target]
    const mailbox = outboxOf(environment.DATA_DIR)
    let email = ''
    await attempt('previous release alone', async () => {
      email = (await runJourney([previous], mailbox)).email
    })
    await attempt('both in turn', () => runJourney([previous, current], mailbox))
    await attempt('both in turn, the other way', () => runJourney([current, previous], mailbox))

    const secret = { AUTH_SECRET: await readFile(join(environment.DATA_DIR, 'auth-secret'), 'utf8') }
    const runPrevious = (...args: string[]) =>
      execute(process.execPath, args, {
        cwd: checkout,
        env: onlyThese({ ...environment, ...secret }),
      })
    await attempt('admin show of the previous release', async () => {
      const { stdout } = await runPrevious('scripts/run-typescript.mjs', 'apps/service/src/admin.ts', 'show', email, '--json')
      if (JSON.parse(stdout).email !== email) throw new Error(stdout)
    })
    await attempt('sweep of the previous release', async () => {
      await withDatabase(environment, async (db) => {
        await db.$executeRaw`UPDATE sessions SET expires_at = now() - interval '1 day' WHERE id = (SELECT min(id) FROM sessions)`
        await db.$executeRaw`
          INSERT INTO audit_events (id, user_id, action, created_at)
          SELECT '00000000-0000-7000-8000-000000000000', min(id), 'sign-in', now() - interval '500 days' FROM users`
      })
      const script = `const { openForOperator } = await import('./apps/service/src/index.ts'); const service = await openForOperator();
        console.log(JSON.stringify(await service.expirySweep.sweep())); await service.stop()`
      const { stdout } = await runPrevious('--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script)
      const { sessions, audit_events: events } = JSON.parse(stdout) as Record<string, number>
      if (sessions !== 1 || events !== 1) throw new Error(`swept ${stdout.trim()} instead of one session and one event`)
    })

    const logs = services.flatMap((service) => service.logs())
    const errors = logs.filter(({ level }) => Number(level) >= 40)
    problems.push(...errors.map(({ msg, err }) => `log: ${msg} ${JSON.stringify(err ?? '')}`.slice(0, 300)))
    const exits = await Promise.all(services.map((service) => service.end('SIGTERM')))
    expectThat(
      problems,
      exits.every(({ code }) => code === 0),
      `exit codes ${exits.map(({ code }) => code)}`,
    )
    problems.push(...(await withDatabase(environment, findPartialWrites)))
    remove()
    return {
      load: 'three journeys of twelve requests',
      faults: `the previous release (${release.name}) on the schema of this one`,
      requests: 36,
      lost: `${errors.length} log lines of warnings and errors`,
      recovery: `built with ${packages} in ${built} s`,
      problems,
    }
  },
}
