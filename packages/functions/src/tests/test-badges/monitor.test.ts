import { createBadgeProject, vitestReport } from '@floorpass/testing/badge-project'
import { checkWithResult, startMonitor } from '@floorpass/testing/monitor-stand-in'
import { describe, expect, test } from 'vitest'

const monitor = await startMonitor()
const before = '# CORS\n\n## Statut des Tests\n\n<!-- badges:begin -->\nold badges\n<!-- badges:end -->\n'

async function writeWith(
  answers: NonNullable<Parameters<typeof monitor.set>[0]['answers']>,
  environment: Record<string, string> = monitor.environment,
) {
  const project = createBadgeProject({ cors: before })
  project.write(
    'reports/vitest/results.json',
    vitestReport({ name: 'packages/functions/src/tests/cors/cors.test.ts', tests: ['passed'] }),
  )
  await monitor.set({ ...checkWithResult('1', 'cors', true), answers })
  await monitor.seen()
  const run = await project.run(['write'], environment)
  return { ...run, after: project.read('docs/specs/cors.md'), ...(await monitor.seen()) }
}

describe('the monitoring service', () => {
  test('is read to its last page, with the account of the key', async () => {
    const many = Array.from({ length: 250 }, (_, index) => checkWithResult(String(index), `cors ${index}`, index !== 249))
    const project = createBadgeProject({ cors: '' })
    await monitor.set({
      checks: many.flatMap(({ checks }) => checks),
      statuses: many.flatMap(({ statuses }) => statuses),
      answers: [],
    })
    await monitor.seen()
    const { stdout } = await project.run(['write'], monitor.environment)
    expect(stdout).toContain('frontend 1 of 250 failed')
    // The statuses come all at once; the second request finds no more.
    expect((await monitor.seen()).requests).toEqual([
      'GET /v1/checks?limit=100',
      'GET /v1/checks?limit=100&page=2',
      'GET /v1/checks?limit=100&page=3',
      'GET /v1/check-statuses?limit=100',
      'GET /v1/check-statuses?limit=100&page=2',
    ])
  })

  test.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '1' } }],
    ['429 without a wait', { status: 429 }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['no answer', 'hang-up' as const],
  ])('is asked again after %s', async (name, answer) => {
    const started = performance.now()
    const { code, after, requests } = await writeWith([answer, answer])
    expect([code, requests.length]).toEqual([0, 4])
    expect(after).toContain('frontend%20tests-1%20passed-brightgreen')
    if (name.includes('Retry-After')) expect(performance.now() - started).toBeGreaterThan(2000)
  })

  test.each([
    ['500 after 500', Array.from({ length: 9 }, () => ({ status: 500 })), 5, 'It answered 500.'],
    ['429 after 429', Array.from({ length: 9 }, () => ({ status: 429 })), 5, 'still limits requests (429)'],
    ['403', [{ status: 403 }], 1, 'The key or the account is not valid (403).'],
    ['404', [{ status: 404 }], 1, 'It answered 404.'],
    ['something other than a list', [{ status: 200, body: { data: [] } }], 1, 'an unexpected answer'],
    ['a list of other items', [{ status: 200, body: [{ id: 1 }] }], 1, 'an unexpected answer'],
  ])('an answer of %s ends the tool with an explanation and leaves every badge unchanged', async (_, answers, asked, why) => {
    const { code, stderr, after, requests } = await writeWith(answers)
    expect([code, requests.length, after]).toEqual([1, asked, before])
    expect(stderr).toContain(why)
    expect(stderr).toMatch(/\n {2}Do: {2}\S/)
    expect(stderr).not.toContain('    at ')
    expect(stderr).not.toContain(monitor.access.apiKey)
  })

  test.each([{ MONITOR_API_KEY: 'wrong' }, { MONITOR_ACCOUNT_ID: 'another' }])(
    'refuses %j, and the tool explains it and leaves every badge unchanged',
    async (wrong) => {
      const { code, stderr, after } = await writeWith([], { ...monitor.environment, ...wrong })
      expect([code, after]).toEqual([1, before])
      expect(stderr).toContain('The key or the account is not valid (401).')
    },
  )

  test('when unreachable, the tool explains it and leaves every badge unchanged', async () => {
    const { code, stderr, after } = await writeWith([], { ...monitor.environment, MONITOR_API_URL: 'http://127.0.0.1:1' })
    expect([code, after]).toEqual([1, before])
    expect(stderr).toContain('It cannot be reached: ')
  })

  test.each(['MONITOR_API_KEY', 'MONITOR_ACCOUNT_ID'])(
    'is not asked without %s: the badges are grey, and the tool says so',
    async (missing) => {
      const { code, stdout, after, requests } = await writeWith([], { ...monitor.environment, [missing]: '' })
      expect([code, requests]).toEqual([0, []])
      expect(stdout).toContain('MONITOR_API_KEY and MONITOR_ACCOUNT_ID are not both set')
      expect(after).toContain('frontend%20tests-no--tests-lightgrey')
    },
  )
})
