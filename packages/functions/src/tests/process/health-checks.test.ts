import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@floorpass/testing/eventually'
import { sendRaw } from '@floorpass/testing/raw-http'
import { isInstalled, startRecipe } from '@floorpass/testing/recipe-process'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

const folder = await temporaryFolder()
const server = await startServer({ ...(await databaseEnvironment()), DATA_DIR: folder })

test.each(['/healthz', '/readyz', '/readyz?from=balancer'])('%s answers without Host and by HTTP/1.0', async (path) => {
  for (const method of ['GET', 'HEAD'])
    for (const head of [
      'HTTP/1.0',
      'HTTP/1.0\r\nhost: localhost',
      'HTTP/1.1\r\nconnection: close',
      'HTTP/1.1\r\nhost:\r\nconnection: close',
    ]) {
      const { status, isOpen } = await sendRaw(server.port, `${method} ${path} ${head}\r\n\r\n`)
      expect([method, head, status, isOpen]).toEqual([method, head, 200, false])
    }
})

test('every other path still needs a Host, and a health check refuses an invalid one', async () => {
  for (const path of ['/', '/healthzz', '/readyz/', '/metrics', '/auth/get-session']) {
    expect((await sendRaw(server.port, `GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(400)
  }
  expect((await sendRaw(server.port, 'GET /readyz HTTP/1.0\r\nhost: a b\r\n\r\n')).status).toBe(400)
})

test.skipIf(!isInstalled('HAProxy', 'haproxy', '-v'))("HAProxy's default check keeps a ready service in", async () => {
  const configuration = (port: number) => `
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
frontend public
  bind 127.0.0.1:${port}
  stats uri /haproxy
  default_backend floorpass
backend floorpass
  option httpchk GET /readyz
  server one 127.0.0.1:${server.port} check inter 100ms fall 1 rise 1
`
  const file = join(folder, 'haproxy.cfg')
  const haproxy = await startRecipe((port) => {
    writeFileSync(file, configuration(port))
    return { command: 'haproxy', args: ['-db', '-f', file] }
  })
  const statusOfCheck = async () => {
    const csv = await (await fetch(`${haproxy.url}/haproxy;csv`)).text()
    const [names = [], ...rows] = csv.split('\n').map((line) => line.split(','))
    return rows.find(([, name]) => name === 'one')?.[names.indexOf('check_status')]
  }
  await eventually(async () => expect(await statusOfCheck()).toBe('L7OK'))
  expect((await fetch(`${haproxy.url}/healthz`)).status).toBe(200)
})
