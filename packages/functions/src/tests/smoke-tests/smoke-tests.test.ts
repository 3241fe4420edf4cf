import { readFileSync } from 'node:fs'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startExchange } from '@floorpass/testing/exchange-stand-in'
import { resultsOf, type SmokeReport, secret, withSecret } from '@floorpass/testing/smoke-report'
import { describe, expect, test } from 'vitest'
import { attempt } from '../../smoke-tests/attempt.ts'
import { checkAuth } from '../../smoke-tests/check-auth.ts'

const kraken = await startExchange()
const environment = { CI_TEST_SECRET: secret, EXCHANGES: `kraken=${kraken.url}` }
const app = await createTestApp(environment)
const suites = ['check-exchanges', 'check-database', 'check-mail', 'check-auth']

describe('the authorization', () => {
  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no scheme', secret],
    ['another scheme', `Basic ${secret}`],
    ['no secret', 'Bearer '],
    ['another secret', 'Bearer something else'],
    ['the secret and more', `Bearer ${secret}x`],
    ['a part of the secret', `Bearer ${secret.slice(0, -1)}`],
    ['the secret twice', `Bearer ${secret}, Bearer ${secret}`],
    ['a very long secret', `Bearer ${'x'.repeat(8000)}`],
  ])('%s is 401', async (_, authorization) => {
    for (const suite of suites) {
      const answer = await app.browser().get(`/tests/${suite}`, authorization === undefined ? {} : { headers: { authorization } })
      expect([answer.status, answer.code, answer.headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', 'Bearer'])
    }
    expect(await kraken.requests()).toEqual([])
  })

  test.each(['', '   ', undefined])('T187: refuses everyone when CI_TEST_SECRET is %j', async (CI_TEST_SECRET) => {
    const closed = await createTestApp(CI_TEST_SECRET === undefined ? {} : { CI_TEST_SECRET })
    for (const authorization of ['Bearer ', 'Bearer', 'Bearer null', 'Bearer undefined', `Bearer ${secret}`]) {
      const answer = await closed.browser().get('/tests/check-auth', { headers: { authorization } })
      expect([answer.status, answer.code]).toEqual([401, 'UNAUTHORIZED'])
    }
  })

  test('accepts the scheme in any case, as HTTP requires', async () => {
    const answer = await app.browser().get('/tests/check-auth', { headers: { authorization: `bEARER ${secret}` } })
    expect(answer.status).toBe(200)
  })

  test('a session does not open the suites, and the secret opens nothing else', async () => {
    const tab = await app.signedIn()
    expect((await tab.get('/tests/check-auth')).code).toBe('UNAUTHORIZED')
    expect((await app.browser().get('/auth/list-sessions', withSecret)).code).toBe('UNAUTHORIZED')
  })

  test('limits guesses and calls with the secret', async () => {
    const limited = await createTestApp({ ...environment, RATE_LIMIT: 'on' })
    const guess = (ip: string) => limited.browser({ ip }).get('/tests/check-mail', { headers: { authorization: 'Bearer guess' } })
    for (let count = 0; count < 20; count += 1) expect((await guess('192.0.2.1')).status).toBe(401)
    const refused = await limited.browser({ ip: '192.0.2.1' }).get('/tests/check-mail', withSecret)
    expect([refused.status, refused.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await guess('192.0.2.2')).status).toBe(401)
  })

  test('never logs or stores the secret', async () => {
    await app.browser().get('/tests/check-database', withSecret)
    const kept = JSON.stringify([app.logs, await app.readAllRows()])
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(Buffer.from(secret).toString('base64'))
  })
})

describe('a path below /tests', () => {
  test.each([
    '/tests',
    '/tests/',
    '/tests/check-nothing',
    '/tests/check-auth/',
    '/tests/CHECK-AUTH',
    '/tests/__proto__',
    '/tests/check-auth%2f',
  ])('T189: %s is a coded 404, with and without the secret', async (path) => {
    for (const options of [{}, withSecret]) {
      const answer = await app.browser().get(path, options)
      expect([answer.status, answer.body]).toEqual([404, { code: 'NOT_FOUND', message: 'There is nothing at this address' }])
    }
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers GET, not %s', async (method) => {
    const answer = await app.browser().request(method, '/tests/check-auth', withSecret)
    expect([answer.status, answer.code, answer.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET'])
  })

  test('the specification names every suite', () => {
    const spec = readFileSync(new URL('../../../../../docs/specs/smoke-tests.md', import.meta.url), 'utf8')
    for (const suite of suites) expect(spec).toContain(`/tests/${suite}`)
  })
})

describe('a run', () => {
  test('T188: 100 simultaneous calls share one run, and those beyond the limit are refused', async () => {
    const limited = await createTestApp({ ...environment, RATE_LIMIT: 'on' })
    await kraken.set({ delayMs: 500 })
    await kraken.requests()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => limited.browser().get('/tests/check-exchanges', withSecret)),
    )
    await kraken.set({ delayMs: 0 })
    const served = answers.filter(({ status }) => status === 200)
    expect([served.length, answers.filter(({ status }) => status === 429).length]).toEqual([20, 80])
    expect(new Set(served.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await kraken.requests()).toEqual(['/0/public/Time', '/0/public/Assets', '/0/public/AssetPairs'])
  })

  test('starts again for a call after its end', async () => {
    const first = await app.browser().get('/tests/check-exchanges', withSecret)
    const second = await app.browser().get('/tests/check-exchanges', withSecret)
    expect((second.body as SmokeReport).startTime).toBeGreaterThan((first.body as SmokeReport).startTime)
  })

  test('does not block the service: a session is read during requests to exchanges', async () => {
    await kraken.set({ delayMs: 900 })
    const run = app.browser().get('/tests/check-exchanges', withSecret)
    const session = app.browser().get('/auth/get-session')
    expect(await Promise.race([run.then(() => 'the run'), session.then(() => 'the session')])).toBe('the session')
    expect([(await session).status, (await run).status]).toEqual([200, 200])
    await kraken.set({ delayMs: 0 })
  })
})

describe('the suites of the service itself', () => {
  const run = async (suite: string, from = app) => (await from.browser().get(`/tests/${suite}`, withSecret)).body as SmokeReport

  test('pass on a healthy service and leave nothing behind', async () => {
    await app.db.queuedMail.create({ data: { mailSealed: '', nextAttemptAt: new Date(Date.now() + 3_600_000) } })
    const rows = await app.readAllRows()
    const mails = app.outbox.mails.length
    for (const suite of ['check-database', 'check-mail', 'check-auth']) {
      const report = await run(suite)
      expect(resultsOf(report).filter((result) => !result.startsWith('passed '))).toEqual([])
      expect(report).toMatchObject({ success: true, testResults: [{ name: `/tests/${suite}`, status: 'passed' }] })
    }
    expect(await app.readAllRows()).toEqual(rows)
    expect(app.outbox.mails).toHaveLength(mails)
  })

  test('check-mail fails when the mail server is down or a mail waited too long', async () => {
    const broken = await createTestApp({ ...environment })
    await broken.db.queuedMail.create({
      data: {
        mailSealed: '',
        createdAt: new Date(Date.now() - 2 * 3600 * 1000),
        nextAttemptAt: new Date(Date.now() + 3600 * 1000),
      },
    })
    broken.outbox.verify = () => Promise.reject(new Error('password hunter2 refused'))
    const report = await run('check-mail', broken)
    expect(resultsOf(report)).toEqual([
      'failed the mail server accepts our login',
      'failed no email has waited for more than 60 minutes',
    ])
    expect(report).toMatchObject({ success: false, numFailedTests: 2 })
    expect(JSON.stringify(report)).not.toContain('hunter2')
    expect(report.testResults[0]?.assertionResults.map(({ failureMessages }) => failureMessages)).toEqual([
      ['Something went wrong on our side. The request may not have taken effect.'],
      ['Emails that waited longer: 1'],
    ])
  })

  test('check-auth fails when sign-in fails', async () => {
    const broken = await createTestApp(environment)
    broken.service.deps.passwords = { ...broken.service.deps.passwords, verify: () => Promise.reject(new Error('no hasher')) }
    const report = await run('check-auth', broken)
    expect(resultsOf(report).filter((result) => result.startsWith('failed'))).toEqual([
      'failed a sign-in with a wrong password is refused',
    ])
    expect(report.testResults[0]?.assertionResults[1]?.failureMessages).toEqual([
      'It answered 500 INTERNAL_SERVER_ERROR, not INVALID_EMAIL_OR_PASSWORD',
    ])
  })

  test('fail without a database, and their routes answer 200', async () => {
    const broken = await createTestApp(environment)
    await broken.loseDatabase()
    const report = await run('check-database', broken)
    expect(report.success).toBe(false)
    expect(resultsOf(report).every((result) => result.startsWith('failed'))).toBe(true)
    expect((await run('check-auth', broken)).success).toBe(false)
  })
})

describe('the report', () => {
  test.each(suites)('T188: of %s contains no secret and no email', async (suite) => {
    await app.signUp()
    const { status, body } = await app.browser().get(`/tests/${suite}`, withSecret)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringMatching(new RegExp(`${secret}|@`))])
  })

  test("has the shape of Vitest's JSON reporter", async () => {
    const report = (await app.browser().get('/tests/check-exchanges', withSecret)).body as SmokeReport
    expect(Object.keys(report)).toEqual([
      'numTotalTestSuites',
      'numPassedTestSuites',
      'numFailedTestSuites',
      'numPendingTestSuites',
      'numTotalTests',
      'numPassedTests',
      'numFailedTests',
      'numPendingTests',
      'numTodoTests',
      'snapshot',
      'startTime',
      'success',
      'testResults',
    ])
    const { snapshot, testResults, startTime, numTotalTests, numPassedTests, ...counts } = report
    expect(counts).toEqual({
      numTotalTestSuites: 2,
      numPassedTestSuites: 2,
      numFailedTestSuites: 0,
      numPendingTestSuites: 0,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      success: true,
    })
    const tests = testResults[0]?.assertionResults.length
    expect([numTotalTests, numPassedTests]).toEqual([tests, tests])
    const { failure, didUpdate, filesRemovedList, uncheckedKeysByFile, ...changes } = snapshot
    expect([failure, didUpdate, filesRemovedList, uncheckedKeysByFile]).toEqual([false, false, [], []])
    expect(new Set(Object.values(changes))).toEqual(new Set([0]))
    const [file] = report.testResults
    expect(Object.keys(file ?? {})).toEqual(['assertionResults', 'startTime', 'endTime', 'status', 'message', 'name'])
    expect(file?.assertionResults[0]).toMatchObject({
      ancestorTitles: ['', 'kraken'],
      fullName: ' kraken is reachable',
      status: 'passed',
      title: 'is reachable',
      failureMessages: [],
    })
    expect(file?.endTime).toBeGreaterThanOrEqual(file?.startTime ?? Number.NaN)
  })
})

test('check-auth fails where a forged cookie opens the sessions', async () => {
  const send = async (_: string, init: RequestInit = {}) =>
    new Headers(init.headers).get('cookie')?.startsWith('session=')
      ? Response.json([])
      : Response.json({ code: 'UNAUTHORIZED' }, { status: 401 })
  const check = checkAuth(send, app.baseUrl, 'session').find(({ title }) => title === 'a forged cookie is refused')
  await expect(check?.run()).rejects.toThrow('It answered 200 without a code, not UNAUTHORIZED')
})

test('a check that does not end fails after its time', async () => {
  const outcome = await attempt({ title: 'answers', seconds: 0.05 }, () => new Promise(() => {}), String)
  expect(outcome).toMatchObject({ status: 'failed', title: 'answers', failure: 'Not done within 0.05 s' })
})
