import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBadgeProject, vitestReport } from '@floorpass/testing/badge-project'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startExchange } from '@floorpass/testing/exchange-stand-in'
import { secret } from '@floorpass/testing/smoke-report'
import { afterAll, describe, expect, test } from 'vitest'

const kraken = await startExchange()
const app = await createTestApp({ CI_TEST_SECRET: secret, EXCHANGES: `kraken=${kraken.url}` })
let answering = app
/** Statuses to answer before the service gets the request. */
const troubles: number[] = []

// Serves over a socket, as in the pipeline.
const server = createServer(async ({ url = '/', headers }, response) => {
  const trouble = troubles.shift()
  if (trouble !== undefined) return void response.writeHead(trouble, { 'retry-after': '1' }).end()
  const { authorization = '' } = headers
  const answer = await answering.edge.fetch(new Request(new URL(url, answering.baseUrl), { headers: { authorization } }), {
    peerAddress: '127.0.0.1',
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}).listen(0, '127.0.0.1')
afterAll(() => void server.close())
await new Promise((resolve) => server.once('listening', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const report = 'docs/reports/vitest/specs/smoke-tests.json'

describe('npm run test:smoke', () => {
  test('writes one report of all suites, which its badge shows', async () => {
    const project = createBadgeProject({ 'smoke-tests': '# Smoke\n' })
    const { code, stdout, stderr } = await project.run(['smoke', url], { CI_TEST_SECRET: secret })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`13 passed, 0 failed: ${report}`)
    const { success, numTotalTests, testResults } = JSON.parse(project.read(report))
    expect([success, numTotalTests]).toEqual([true, 13])
    expect(testResults.map(({ name }: { name: string }) => name)).toEqual([
      '/tests/check-exchanges',
      '/tests/check-database',
      '/tests/check-mail',
      '/tests/check-auth',
    ])
    expect(project.read(report)).not.toContain(secret)
    await project.run(['write'])
    expect(project.read('docs/specs/smoke-tests.md')).toContain('backend%20tests-13%20passed-brightgreen')
  })

  test('reports a failing exchange by name and exits with 1', async () => {
    const project = createBadgeProject({ 'smoke-tests': '' })
    await kraken.set({ failure: 'status' })
    const { code, stdout, stderr } = await project.run(['smoke', url], { CI_TEST_SECRET: secret })
    await kraken.set({ failure: null })
    expect([code, stdout]).toEqual([1, expect.stringContaining('9 passed, 1 failed')])
    expect(stderr).toContain('failed /tests/check-exchanges kraken is reachable: ')
    await project.run(['write'])
    expect(project.read('docs/specs/smoke-tests.md')).toContain('backend%20tests-1%20of%2010%20failed-red')
  })

  test('waits for a service that is still starting', async () => {
    const project = createBadgeProject()
    troubles.push(503, 429)
    const { code } = await project.run(['smoke', url], { CI_TEST_SECRET: secret })
    expect(code).toBe(0)
  })

  test.each([
    ['another secret', url, 'another', 'It refuses the secret.'],
    ['no secret', url, '', 'The service runs its smoke tests only for callers with this secret.'],
    ['an unreachable service', 'http://127.0.0.1:1', secret, 'It cannot be reached: '],
    ['no URL', '', secret, 'The command needs one.'],
  ])('explains %s in the output and in the report, replacing an earlier success', async (_, at, CI_TEST_SECRET, why) => {
    const project = createBadgeProject({ 'smoke-tests': '' })
    project.write(report, vitestReport({ name: '/tests/check-auth', tests: ['passed'] }))
    const { code, stderr } = await project.run(['smoke', at], { CI_TEST_SECRET })
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    expect(JSON.parse(project.read(report))).toMatchObject({ success: false, numTotalTests: 1, numFailedTests: 1 })
    expect(project.read(report)).toContain(why)
    expect(project.read(report)).not.toContain(secret)
    await project.run(['write'])
    expect(project.read('docs/specs/smoke-tests.md')).toContain('backend%20tests-1%20of%201%20failed-red')
  })

  test('exits with 1 when a suite had nothing to check', async () => {
    const nothing = await createTestApp({ CI_TEST_SECRET: secret, EXCHANGES: '' })
    const project = createBadgeProject()
    answering = nothing
    const { code } = await project.run(['smoke', url], { CI_TEST_SECRET: secret })
    answering = app
    expect([code, JSON.parse(project.read(report)).success]).toEqual([1, false])
  })
})
