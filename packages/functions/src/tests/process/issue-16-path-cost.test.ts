import { sendRaw } from '@floorpass/testing/raw-http'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: await temporaryFolder() })
const get = (target: string) =>
  sendRaw(server.port, `GET ${target} HTTP/1.1\r\nhost: localhost:${server.port}\r\nconnection: close\r\n\r\n`)

/** Milliseconds of the fastest of five requests, because other tests share the processor. */
async function timeOf(target: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const before = performance.now()
    await get(target)
    times.push(performance.now() - before)
  }
  return Math.min(...times)
}

test.each([
  ['slashes', `/${'/'.repeat(14_000)}x`],
  ['slashes below a page', `/login${'/'.repeat(14_000)}x`],
  ['slashes below the files', `/assets/${'/'.repeat(14_000)}x`],
  ['encoded slashes', `/${'%2F'.repeat(4_600)}x`],
  ['dots', `/${'.'.repeat(14_000)}x`],
  ['spaces', `/${'%20'.repeat(4_600)}x`],
  ['slashes in a query', `/login?redirectTo=${'/'.repeat(14_000)}x`],
  ['names in a query', `/login?${'a&'.repeat(7_000)}`],
])('a URL full of %s costs no more time than other long URLs', async (_, target) => {
  await timeOf('/login')
  const plain = await timeOf(`/${'a/'.repeat(7_000)}x`)
  expect(await timeOf(target)).toBeLessThan(10 * plain)
})

test('a URL with two slashes in a row is 404', async () => {
  for (const target of ['//', '//login', '/login//', '/settings//security'])
    expect([target, (await get(target)).status]).toEqual([target, 404])
  expect((await get('/login')).status).toBe(200)
})
