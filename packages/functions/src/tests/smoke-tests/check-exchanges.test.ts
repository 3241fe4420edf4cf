import { policy } from '@floorpass/api'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { type ExchangeState, startExchange } from '@floorpass/testing/exchange-stand-in'
import { measureProcessorTime } from '@floorpass/testing/processor-time'
import { resultsOf, type SmokeReport, secret, withSecret } from '@floorpass/testing/smoke-report'
import { describe, expect, test } from 'vitest'

const kraken = await startExchange()
const app = await createTestApp({ CI_TEST_SECRET: secret, EXCHANGES: `kraken=${kraken.url}` })

/** Longer than a busy machine needs. A test of a limit sets that limit. */
const patient = { check: 60, suite: 90, slowestAnswer: 30, clockTolerance: 5 }
const setTimes = ({ service }: Pick<TestApp, 'service'>, times: Partial<typeof patient> = {}) =>
  Object.assign(service.smokeTests.times, patient, times)

async function checkKraken(state: Partial<ExchangeState> = {}, times: Partial<typeof patient> = {}): Promise<SmokeReport> {
  setTimes(app, times)
  await kraken.set({ skewSeconds: 0, delayMs: 0, failure: null, markets: true, ...state })
  await kraken.requests()
  const { status, body } = await app.browser().get('/tests/check-exchanges', withSecret)
  expect(status).toBe(200)
  return body as SmokeReport
}

describe('an exchange that is up', () => {
  test('passes as reachable, on time, quick and with markets, and reports the measurements', async () => {
    const report = await checkKraken()
    expect(resultsOf(report)).toEqual([
      'passed kraken is reachable',
      'passed kraken its clock is within 5 s of ours',
      'passed kraken answers within 30 s',
      'passed kraken its markets load',
    ])
    expect(report).toMatchObject({ success: true, numTotalTests: 4, numPassedTests: 4, numFailedTests: 0 })
    const [reachable, clock, , markets] = report.testResults[0]?.assertionResults ?? []
    const { latencyMs = Number.NaN } = reachable?.meta ?? {}
    expect(latencyMs).toBeGreaterThanOrEqual(0)
    // Kraken tells whole seconds, and the answer may have been made at any time of the request.
    expect(Math.abs(clock?.meta.skewMs ?? Number.NaN)).toBeLessThanOrEqual(1000 + latencyMs)
    expect(markets?.meta).toEqual({ markets: 1 })
  })

  test('gets three requests at its configured URL', async () => {
    await checkKraken()
    expect(await kraken.requests()).toEqual(['/0/public/Time', '/0/public/Assets', '/0/public/AssetPairs'])
  })
})

describe('an exchange that is', () => {
  const failed = (report: SmokeReport) => resultsOf(report).filter((result) => result.startsWith('failed'))
  const reasons = (report: SmokeReport) => report.testResults[0]?.assertionResults.flatMap((result) => result.failureMessages)

  test('slow fails only the latency test', async () => {
    expect(failed(await checkKraken({ delayMs: 1200 }, { slowestAnswer: 1 }))).toEqual(['failed kraken answers within 1 s'])
  })

  test.each([60, -60])('%i seconds off fails only the clock test', async (skewSeconds) => {
    const report = await checkKraken({ skewSeconds })
    expect(failed(report)).toEqual(['failed kraken its clock is within 5 s of ours'])
    expect(reasons(report)?.[0]).toMatch(skewSeconds > 0 ? /^It is [56]\d s off$/ : /^It is -[56]\d s off$/)
  })

  test('without markets fails only the market test', async () => {
    const report = await checkKraken({ markets: false })
    expect(failed(report)).toEqual(['failed kraken its markets load'])
    expect(reasons(report)).toEqual(['It lists no markets'])
  })

  test.each(['status', 'garbage', 'odd', 'redirect', 'hangUp', 'silence', 'drip', 'flood'] as const)(
    'broken by %s fails the first test and skips the others',
    async (failure) => {
      const report = await checkKraken({ failure }, failure === 'silence' || failure === 'drip' ? { check: 3 } : {})
      expect(resultsOf(report)).toEqual([
        'failed kraken is reachable',
        'skipped kraken its clock is within 5 s of ours',
        'skipped kraken answers within 30 s',
        'skipped kraken its markets load',
      ])
      expect(report).toMatchObject({ success: false, numFailedTests: 1, numPendingTests: 3 })
      const [reason = ''] = reasons(report) ?? []
      expect(reason).toMatch(/\S/)
      expect(reason.length).toBeLessThanOrEqual(300)
      expect(reason).not.toMatch(/\p{C}/u)
      expect(await kraken.requests()).toEqual(['/0/public/Time'])
    },
  )
})

describe('several exchanges', () => {
  test('run in parallel and independently: up, slow, skewed, broken, down, unknown', async () => {
    const [up, slow, skewed, broken, down] = await Promise.all([
      startExchange(),
      startExchange({ delayMs: 6000 }),
      startExchange({ skewSeconds: 60 }),
      startExchange({ failure: 'status' }),
      startExchange(),
    ])
    await down.close()
    const several = await createTestApp({
      CI_TEST_SECRET: secret,
      EXCHANGES: `kraken=${up.url},binance=${slow.url},binanceus=${skewed.url},binanceusdm=${broken.url},coinbase=${down.url},no-such-exchange`,
    })
    setTimes(several, { slowestAnswer: 5 })
    const { body } = await several.browser().get('/tests/check-exchanges', withSecret)
    const results = resultsOf(body as SmokeReport)
    expect(results.filter((result) => !result.startsWith('passed'))).toEqual([
      'failed binance answers within 5 s',
      'failed binanceus its clock is within 5 s of ours',
      'failed binanceusdm is reachable',
      'skipped binanceusdm its clock is within 5 s of ours',
      'skipped binanceusdm answers within 5 s',
      'skipped binanceusdm its markets load',
      'failed coinbase is reachable',
      'skipped coinbase its clock is within 5 s of ours',
      'skipped coinbase answers within 5 s',
      'skipped coinbase its markets load',
      'failed no-such-exchange is reachable',
      'skipped no-such-exchange its clock is within 5 s of ours',
      'skipped no-such-exchange answers within 5 s',
      'skipped no-such-exchange its markets load',
    ])
    expect(results.filter((result) => result.startsWith('passed kraken '))).toHaveLength(4)
    // Binance has several services; only its main URL is requested.
    expect(await slow.requests()).toEqual(['/api/v3/time', '/api/v3/exchangeInfo'])
  })

  test.each(['huge', 'dense'] as const)(
    'one with a %s answer of valid JSON affects neither the others nor the service',
    async (failure) => {
      const [up, hoarder] = await Promise.all([startExchange(), startExchange({ failure })])
      const both = await createTestApp({ CI_TEST_SECRET: secret, EXCHANGES: `kraken=${hoarder.url},binance=${up.url}` })
      setTimes(both)
      const run = both.browser().get('/tests/check-exchanges', withSecret)
      // Processor time that the service spends on the market data before it answers.
      let slowest = 0
      let isDone = false
      void run.finally(() => {
        isDone = true
      })
      while (!isDone) {
        const read = async () => expect((await both.browser().get('/auth/get-session')).status).toBe(200)
        slowest = Math.max(slowest, await measureProcessorTime(read, 1))
        await new Promise(setImmediate)
      }
      const results = resultsOf((await run).body as SmokeReport)
      expect(results.filter((result) => result.startsWith('passed binance '))).toHaveLength(4)
      expect(results).toContain('failed kraken is reachable')
      expect(slowest).toBeLessThan(2000)
    },
    120_000,
  )

  test('take at most 20 of the 25 seconds that the pipeline waits', () => {
    expect(policy.smokeTests.check).toBeLessThan(policy.smokeTests.suite)
    expect(policy.smokeTests.suite).toBeLessThanOrEqual(20)
  })
})
