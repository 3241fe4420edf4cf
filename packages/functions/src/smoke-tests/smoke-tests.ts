import { AppError, type Context, policy, sessionCookieName, toAppError } from '@floorpass/api'
import { MailError, type MailTransport } from '@floorpass/email'
import { isBearer } from '../http/bearer.ts'
import { json, refuse } from '../http/respond.ts'
import { attempt, type Outcome } from './attempt.ts'
import type { Check } from './check.ts'
import { checkAuth } from './check-auth.ts'
import { checkDatabase } from './check-database.ts'
import { checkExchanges } from './check-exchanges.ts'
import { checkMail } from './check-mail.ts'
import type { Exchange, SmokeTimes } from './exchange-run.ts'
import { type Report, reportOf } from './report.ts'

export type SmokeTestDeps = {
  /** Shared with the pipeline. Null disables the route. */
  secret: string | null
  exchanges: readonly Exchange[]
  transport: Pick<MailTransport, 'verify'>
  times: SmokeTimes
}

export type SmokeTests = { answer(request: Request, path: string, context: Context): Promise<Response> }

/** Answers `GET /tests/check-<suite>`: runs the suite in this service and returns a Vitest report, with 200 even if a check fails.
 * `send` sends a request through the edge. NOT_FOUND, METHOD_NOT_ALLOWED, UNAUTHORIZED, TOO_MANY_REQUESTS. Spec: Smoke-test route. */
export function createSmokeTests(
  { secret, exchanges, transport, times }: SmokeTestDeps,
  { db, settings, log }: Pick<Context, 'db' | 'settings' | 'log'>,
  send: (request: Request) => Promise<Response>,
): SmokeTests {
  const { clockTolerance } = times
  const inProcess = (name: string, checks: Check[]) => async (): Promise<Outcome[]> => {
    const outcomes: Outcome[] = []
    const end = performance.now() + times.suite * 1000
    // Run one at a time: the embedded database has one connection, and the suite must not slow the service down.
    for (const { title, run } of checks) {
      const seconds = Math.min(times.check, Math.max(0, Math.round(end - performance.now()) / 1000))
      outcomes.push(await attempt({ title, seconds }, run, (error) => explain(error, `${name}: ${title}`)))
    }
    return outcomes
  }
  const explain = (error: unknown, check: string): string => {
    log.warn({ err: error, check }, 'smoke test failed')
    // A MailError's message is written for the report. Other messages may quote a secret.
    return error instanceof MailError ? error.message : toAppError(error).message
  }
  const sendTo = (path: string, init?: RequestInit) => send(new Request(new URL(path, settings.baseUrl), init))
  const suites = new Map<string, () => Promise<Outcome[]>>([
    ['check-exchanges', () => checkExchanges({ exchanges, times })],
    ['check-database', inProcess('check-database', checkDatabase(db, clockTolerance))],
    ['check-mail', inProcess('check-mail', checkMail(db, transport, policy.smokeTests.longestMailWait))],
    ['check-auth', inProcess('check-auth', checkAuth(sendTo, settings.baseUrl, sessionCookieName(settings.cookie)))],
  ])
  const running = new Map<string, Promise<Report>>()

  const run = (name: string, suite: () => Promise<Outcome[]>): Promise<Report> => {
    const shared = running.get(name)
    if (shared) return shared
    const startTime = Date.now()
    const report = suite()
      .then((outcomes) => reportOf(`/tests/${name}`, startTime, outcomes))
      .finally(() => running.delete(name))
    running.set(name, report)
    return report
  }

  return {
    async answer(request, path, context) {
      const name = path.slice('/tests/'.length)
      const suite = suites.get(name)
      if (!suite) throw new AppError('NOT_FOUND')
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuse('METHOD_NOT_ALLOWED', { allow: 'GET' })
      // Count first, so that guesses of the secret count too.
      await context.limitByIp('smoke-tests:ip')
      if (!isBearer(request.headers.get('authorization'), secret)) return refuse('UNAUTHORIZED', { 'www-authenticate': 'Bearer' })
      return json(await run(name, suite))
    },
  }
}
