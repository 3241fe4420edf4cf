import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  findPostgres,
  replaceBlock,
  type Scenario,
  scenarios,
  startPostgresCluster,
  type Workplace,
} from '@floorpass/reliability'
import { eventually } from '@floorpass/testing/eventually'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { describe, expect, onTestFinished, test } from 'vitest'

const binaries = findPostgres()
const workplace: Workplace = {
  quick: true,
  faults: null,
  redisBinary: '',
  async postgres() {
    const cluster = await startPostgresCluster(binaries ?? '')
    onTestFinished(() => cluster.remove())
    return cluster
  },
  patroni: () => Promise.reject(new Error('not part of a test')),
  folder: async () => mkdtemp(join(await temporaryFolder(), 'scenario-')),
  say: () => {},
}
const scenarioOf = (name: string) => scenarios.find((scenario) => scenario.name === name) as Scenario

// `npm run reliability` runs the other scenarios, and more rounds of these.
describe('short scenarios', () => {
  test.skipIf(!binaries)('T191: /readyz of a frozen database is 503 after about 2 s', async () => {
    expect((await scenarioOf('slow-database').run(workplace)).problems).toEqual([])
  })

  test('T104: a clock step of an hour revives no expired link, code or session', async () => {
    expect((await scenarioOf('clock-steps').run(workplace)).problems).toEqual([])
  })
})

test('T195: after SIGTERM it serves for a moment, reports not ready, and closes connections after their answers', async () => {
  const server = await startServer({ DATA_DIR: await temporaryFolder(), RATE_LIMIT: 'off' })
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost:${server.port}\r\n\r\n`),
      )
      // Resolves when the server closes the connection; this side keeps it open.
      socket
        .on('data', (chunk: Buffer) => {
          answer += chunk
        })
        .on('close', () => resolve(answer))
        .on('error', reject)
    })
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const ended = server.end('SIGTERM')
  await eventually(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(503))
  const [ready, alive] = await Promise.all([ask('/readyz'), ask('/healthz')])
  expect(ready).toMatch(/^HTTP\/1\.1 503 /)
  expect(ready).toMatch(/^retry-after: 1\r$/im)
  for (const answer of [ready, alive]) expect(answer).toMatch(/^connection: close\r$/im)
  expect(alive).toMatch(/^HTTP\/1\.1 200 /)
  expect((await ended).code).toBe(0)
})

test('new figures of a scenario replace the old ones and nothing else on the page', () => {
  const page = '# Page\n\n<!-- figures:a -->\nold\n<!-- /figures:a -->\n\n## Hostile requests\n\nby hand\n'
  const once = replaceBlock(page, 'a', 'new')
  expect(once).toBe(page.replace('old', 'new'))
  const both = replaceBlock(once, 'b', 'more')
  expect(both).toBe(
    '# Page\n\n<!-- figures:a -->\nnew\n<!-- /figures:a -->\n\n<!-- figures:b -->\nmore\n<!-- /figures:b -->\n\n## Hostile requests\n\nby hand\n',
  )
  expect(replaceBlock(both, 'b', 'more')).toBe(both)
})
