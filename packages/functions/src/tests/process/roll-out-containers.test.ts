import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { freePort, temporaryFolder } from '@floorpass/testing/server-process'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const standIn = fileURLToPath(new URL('../../../../testing/src/docker-stand-in.ts', import.meta.url))
const folder = await temporaryFolder()
const ports = [await freePort(), await freePort()]
const [first, second] = ports.map((port) => ({ name: `floorpass-${port}`, dial: `127.0.0.1:${port}` })) as [Version, Version]
type Version = { name: string; dial: string }

writeFileSync(
  join(folder, 'docker'),
  `#!/bin/sh\nexec "${process.execPath}" --disable-warning=ExperimentalWarning "${standIn}" "$@"\n`,
)
chmodSync(join(folder, 'docker'), 0o755)

/** The proxy's admin API, with programmable answers to a change of upstream. */
const proxy = {
  upstreams: [] as { dial: string }[] | null,
  order: (_: ServerResponse, apply: () => void) => apply(),
  namesUpstream: true,
}
const admin = createServer(async (request, response) => {
  if (request.method === 'PATCH') {
    const wanted = (await json(request)) as { dial: string }[]
    proxy.order(response, () => {
      proxy.upstreams = wanted
    })
  } else if (!proxy.namesUpstream) response.destroy()
  if (!response.destroyed) response.end(JSON.stringify(proxy.upstreams))
}).listen(0, '127.0.0.1')
await once(admin, 'listening')

const running = () =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.pid'))
    .map((file) => file.slice(0, -'.pid'.length))
    .sort()
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

afterAll(() => {
  admin.close()
  for (const name of running()) process.kill(Number(readFileSync(join(folder, `${name}.pid`), 'utf8')), 'SIGKILL')
})

beforeEach(() => {
  proxy.order = (_, apply) => apply()
  proxy.namesUpstream = true
  writeFileSync(join(folder, 'calls'), '')
})

const completeSettings =
  'BASE_URL=https://accounts.example.test\nDATABASE_URL=postgres://db.example.test/floorpass\nTRUST_PROXY=loopback\n'

async function rollOut(settings = completeSettings, image = 'GHCR.io/Owner/Name:Ab12') {
  writeFileSync(join(folder, 'settings'), settings)
  const at = `http://127.0.0.1:${(admin.address() as AddressInfo).port}/id/floorpass/upstreams`
  const options = ['--image', image, '--env-file', join(folder, 'settings'), '--ports', ports.join(), '--proxy', at]
  const child = spawn(process.execPath, ['deploy/roll-out.mjs', ...options], {
    cwd: root,
    env: { PATH: [folder, process.env.PATH].join(delimiter), DOCKER_STATE: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: (await output).join('') }
}

describe('a rollout of containers', () => {
  test.each([
    ['no DATABASE_URL', 'BASE_URL=https://accounts.example.test\n'],
    ['an empty DATABASE_URL', 'DATABASE_URL=\n'],
    ['a commented DATABASE_URL', '# DATABASE_URL=postgres://db.example.test/floorpass\n'],
    ['a DATABASE_URL that a later line clears', 'DATABASE_URL=postgres://db.example.test/floorpass\nDATABASE_URL= \n'],
    ['a DATABASE_URL without a value', 'DATABASE_URL\n'],
  ])('refuses %s, with which the container would serve an empty database', async (_, settings) => {
    const { code, output } = await rollOut(settings)
    expect([code, output]).toEqual([1, expect.stringContaining('has no DATABASE_URL')])
    expect([calls(), running()]).toEqual([[''], []])
  })

  test.each([
    ['no TRUST_PROXY', completeSettings.replace(/TRUST_PROXY.*\n/, '')],
    ['TRUST_PROXY off, as in .env.example', completeSettings.replace(/TRUST_PROXY.*\n/, 'TRUST_PROXY=off\n')],
    ['an empty TRUST_PROXY', completeSettings.replace('loopback', '')],
  ])('refuses %s, with which all visitors behind the proxy would share one rate limit', async (_, settings) => {
    const { code, output } = await rollOut(settings)
    expect([code, output]).toEqual([1, expect.stringContaining('has no TRUST_PROXY')])
    expect([calls(), running()]).toEqual([[''], []])
  })

  test('refuses settings without BASE_URL, with which the new version would run in local mode', async () => {
    const { code, output } = await rollOut(completeSettings.replace(/BASE_URL.*\n/, ''))
    expect([code, output]).toEqual([1, expect.stringContaining('has no BASE_URL')])
    expect([calls(), running()]).toEqual([[''], []])
  })

  test('starts the image by its exact tag, and removes the volumes of the old container', async () => {
    expect((await rollOut()).code).toBe(0)
    expect([proxy.upstreams, running()]).toEqual([[{ dial: first.dial }], [first.name]])
    expect(calls().find((call) => call.startsWith('run '))).toMatch(/ ghcr\.io\/owner\/name:Ab12$/)
    const { code, output } = await rollOut()
    expect([code, output]).toEqual([0, expect.stringContaining(`Port ${ports[1]} serves.`)])
    expect([proxy.upstreams, running()]).toEqual([[{ dial: second.dial }], [second.name]])
    expect(calls()).toContain(`rm --force --volumes ${first.name}`)
  })

  test('continues when the proxy applied the change without an answer', async () => {
    proxy.order = (response, apply) => {
      apply()
      response.destroy()
    }
    const { code } = await rollOut()
    expect([code, proxy.upstreams, running()]).toEqual([0, [{ dial: first.dial }], [first.name]])
  })

  test.each([
    ['refuses the change', (response: ServerResponse) => void response.writeHead(500)],
    ['drops the request', (response: ServerResponse) => void response.destroy()],
  ])('removes the new version when the proxy %s', async (_, order) => {
    proxy.order = order
    const { code } = await rollOut()
    expect([code, proxy.upstreams, running()]).toEqual([1, [{ dial: first.dial }], [first.name]])
  })

  test('removes a new version that keeps restarting, without waiting for it', async () => {
    const { code, output } = await rollOut(completeSettings, 'ghcr.io/owner/broken:1')
    expect([code, output]).toEqual([1, expect.stringContaining('The old version still serves')])
    // The first answer of Docker decides.
    expect(calls().filter((call) => call.startsWith('inspect '))).toHaveLength(1)
    expect([proxy.upstreams, running()]).toEqual([[{ dial: first.dial }], [first.name]])
  })

  test('leaves both versions running, and says so, when the proxy does not name its upstream', async () => {
    proxy.order = (response, apply) => {
      apply()
      proxy.namesUpstream = false
      response.destroy()
    }
    const { code, output } = await rollOut()
    expect([code, output]).toEqual([1, expect.stringContaining('All versions still run')])
    expect(running()).toEqual([first.name, second.name].sort())
  })

  test('does nothing when the proxy sends to an unknown upstream', async () => {
    proxy.upstreams = [{ dial: 'localhost:9999' }]
    const before = running()
    const { code, output } = await rollOut()
    expect([code, output]).toEqual([1, expect.stringContaining('the proxy sends to localhost:9999, and not to one of our ports')])
    expect([calls(), running()]).toEqual([[''], before])
  })
})
