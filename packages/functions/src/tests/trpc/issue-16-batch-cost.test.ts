import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const limited = await createTestApp({ RATE_LIMIT: 'on' })

const repeatTen = (item: string) => Array<string>(10).fill(item)
const createChecks = (password: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [place, { password }]))
/** The number of requests that the IP address has left in this minute. */
const getRemaining = async (ip: string) => {
  const { headers } = await limited.browser({ ip }).get('/trpc/unknown')
  return Number(headers.get('ratelimit-remaining'))
}

describe('a tRPC batch', () => {
  test.each([
    ['a comma', ','],
    ['an encoded comma', '%2C'],
  ])('counts as many requests as it has calls, with %s between them', async (_, comma) => {
    const ip = comma === ',' ? '192.0.2.1' : '192.0.2.2'
    const before = await getRemaining(ip)
    await limited.browser({ ip }).get(`/trpc/${repeatTen('sessions.require').join(comma)}?batch=1`)
    expect(before - (await getRemaining(ip))).toBe(11)
  })

  test('counts as many requests as it has calls when metrics are on', async () => {
    const measured = await createTestApp({ RATE_LIMIT: 'on', METRICS_TOKEN: 'a-token-for-prometheus' })
    const tab = measured.browser({ ip: '192.0.2.5' })
    const { headers } = await tab.get(`/trpc/${repeatTen('sessions.require').join(',')}?batch=1`)
    expect(headers.get('ratelimit-remaining')).toBe('590')
  })

  test('of ten calls is allowed sixty times a minute', async () => {
    const tab = limited.browser({ ip: '192.0.2.3' })
    const statuses: number[] = []
    for (let round = 0; round < 61; round += 1)
      statuses.push((await tab.get(`/trpc/${repeatTen('sessions.require').join(',')}?batch=1`)).status)
    expect([statuses.indexOf(429), statuses.length]).toEqual([60, 61])
  })

  test('with too many calls counts as one call more than the maximum', async () => {
    const ip = '192.0.2.4'
    const before = await getRemaining(ip)
    const answer = await limited.browser({ ip }).get(`/trpc/${','.repeat(5000)}?batch=1`)
    expect([answer.status, before - (await getRemaining(ip))]).toEqual([400, 12])
  })

  test('of passwords answers SERVICE_BUSY while too many wait, and works again afterwards', async () => {
    const path = `/trpc/${repeatTen('passwords.check').join(',')}?batch=1`
    const send = () => app.browser().post(path, createChecks('kettle plum orbit meadow', 10))
    const answers = await Promise.all(Array.from({ length: 40 }, send))
    const keys = answers.flatMap(({ body }) =>
      (body as { error?: { data: { key: string; retryAfter: number } } }[]).map(({ error }) => error?.data.key ?? 'ok'),
    )
    expect(keys.filter((key) => key !== 'ok').length).toBeGreaterThan(0)
    expect(new Set(keys)).toEqual(new Set(['ok', 'SERVICE_BUSY']))
    expect((await send()).status).toBe(200)
  })
})
