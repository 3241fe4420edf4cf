import { eventually } from '@floorpass/testing/eventually'
import { hasPromtool, testAlerts } from '@floorpass/testing/promtool'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { createTestDatabase, testDatabase } from '@floorpass/testing/test-database'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'

const token = 'what-only-prometheus-knows'

test.runIf(testDatabase.kind === 'postgres' && hasPromtool())(
  'the first fault of one worker raises the alert of the service',
  async () => {
    const { options, drop } = await createTestDatabase()
    onTestFinished(drop)
    const DATABASE_URL = options.kind === 'postgres' ? options.url : ''
    const server = await startServer({
      DATABASE_URL,
      DATA_DIR: await temporaryFolder(),
      METRICS_TOKEN: token,
      WEB_CONCURRENCY: '2',
    })
    const scrape = () =>
      eventually(async () => {
        const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
        const text = await answer.text()
        expect(text).toContain('floorpass_workers 2\n')
        return text
      }, 60_000)
    const scrapes = [await scrape()]
    const owner = new Client(DATABASE_URL)
    await owner.connect()
    await owner.query('ALTER TABLE users RENAME COLUMN email TO lost')
    await owner.end()
    const answer = await fetch(`${server.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ email: 'ada@example.test', password: 'plum kettle orbit' }),
    })
    expect(answer.status).toBe(500)
    scrapes.push(await scrape(), await scrape())
    const { status, output } = testAlerts(scrapes, ['FloorpassFault', 'FloorpassServerErrors'])
    expect(status, output).toBe(0)
    expect((await server.end('SIGTERM')).code).toBe(0)
  },
)
