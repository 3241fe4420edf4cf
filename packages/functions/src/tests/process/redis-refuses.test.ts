import { execFile, execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findRedis, freePort, startRedis, startSentinelCluster } from '@floorpass/reliability'
import { connectRedis } from '@floorpass/service/redis'
import { eventually } from '@floorpass/testing/eventually'
import { startSentinelStandIn } from '@floorpass/testing/sentinel-stand-in'
import { databaseEnvironment, failToStart, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { testDatabase } from '@floorpass/testing/test-database'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const execute = promisify(execFile)
const binary = findRedis() ?? ''
// Each test starts services, which takes longer on an embedded database.
const canRun = binary !== '' && testDatabase.kind === 'postgres'
/** The rights that docs/high-availability.md asks for. */
const rights = '~floorpass:* -@all +auth +info +select +eval +evalsha +multi +exec +set +incrby +pttl +expire +del'

const database = await databaseEnvironment()
const environment = async (settings: Record<string, string>) => ({
  ...database,
  DATA_DIR: await temporaryFolder(),
  PORT: String(await freePort()),
  ...settings,
})

async function redisWith(settings: (port: number) => string[]) {
  const redis = await startRedis(binary, settings)
  onTestFinished(() => redis.stop())
  return { port: Number(new URL(redis.url).port), stop: redis.stop }
}

/** Expects exit code 1 and one line that names the reason, without the password. */
async function expectRefusal(settings: Record<string, string>, reason: RegExp) {
  const { code, stderr } = await failToStart(await environment(settings))
  const lines = stderr.split('\n').filter((line) => line.startsWith('Redis at REDIS_URL refuses this service: '))
  expect(lines, stderr).toHaveLength(1)
  expect(lines[0]).toMatch(reason)
  expect(stderr).not.toMatch(/hunter2|^\s+at /m)
  expect(code).toBe(1)
}

async function expectStart(settings: Record<string, string>) {
  const server = await startServer(await environment(settings))
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const reply = await fetch(`${server.url}/auth/verify-email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'A'.repeat(43) }),
  })
  expect(reply.status).toBe(400)
  return server
}

describe.runIf(canRun)('the server does not start on a Redis that refuses', () => {
  test('its password, or asks for one', async () => {
    const { port } = await redisWith(() => ['--requirepass', 'correct horse'])
    await expectRefusal({ REDIS_URL: `redis://:hunter2@127.0.0.1:${port}` }, /WRONGPASS.+Correct the user and the password/)
    await expectRefusal({ REDIS_URL: `redis://127.0.0.1:${port}` }, /NOAUTH.+Correct the user and the password/)
    await expectStart({ REDIS_URL: `redis://:${encodeURIComponent('correct horse')}@127.0.0.1:${port}` })
  })

  test('its database number', async () => {
    const { port } = await redisWith(() => [])
    await expectRefusal({ REDIS_URL: `redis://127.0.0.1:${port}/999` }, /DB index is out of range.+existing database number/)
  })

  test('commands that limits need, and the documented rights are enough', async () => {
    const users = join(await temporaryFolder(), 'users.acl')
    await writeFile(
      users,
      [
        'user default off',
        `user good on >hunter2 ${rights}`,
        `user noscripts on >hunter2 ${rights} -eval -evalsha`,
        `user nocounts on >hunter2 ${rights.replace('+incrby', '')}`,
        `user otherkeys on >hunter2 ${rights.replace('floorpass', 'other')}`,
        '',
      ].join('\n'),
    )
    const { port } = await redisWith(() => ['--aclfile', users])
    for (const user of ['noscripts', 'otherkeys'])
      await expectRefusal({ REDIS_URL: `redis://${user}:hunter2@127.0.0.1:${port}` }, /NOPERM.+docs\/high-availability\.md/)
    const withoutCounts = { REDIS_URL: `redis://nocounts:hunter2@127.0.0.1:${port}` }
    await expectRefusal(withoutCounts, /run this command.+docs\/high-availability\.md/)
    const server = await expectStart({ REDIS_URL: `redis://good:hunter2@127.0.0.1:${port}` })
    expect(server.logs().filter(({ msg }) => String(msg).includes('redis'))).toEqual([])
  })

  describe('with TLS', () => {
    let folder = ''
    beforeAll(async () => {
      folder = await temporaryFolder()
      const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
      const request = ['req', '-newkey', 'rsa:2048', '-nodes']
      openssl(...request, '-x509', '-days', '2', '-subj', '/CN=Test CA', '-keyout', 'ca.key', '-out', 'ca.crt')
      for (const [name, alternative] of [
        ['local', 'IP:127.0.0.1'],
        ['elsewhere', 'DNS:redis.example.test'],
      ] as const) {
        openssl(...request, '-subj', '/CN=redis', '-keyout', `${name}.key`, '-out', `${name}.csr`)
        await writeFile(join(folder, `${name}.ext`), `subjectAltName=${alternative}`)
        const signed = ['x509', '-req', '-days', '2', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial']
        openssl(...signed, '-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.crt`)
      }
    })
    const tls = (name: string) => (port: number) => [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', join(folder, `${name}.crt`), '--tls-key-file', join(folder, `${name}.key`)],
    ]

    test('from an authority that this machine does not know', async () => {
      const { port } = await redisWith(tls('local'))
      const REDIS_URL = `rediss://127.0.0.1:${port}`
      await expectRefusal({ REDIS_URL }, /certificate.+NODE_EXTRA_CA_CERTS/)
      await expectStart({ REDIS_URL, NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') })
    })

    test('for another host name', async () => {
      const { port } = await redisWith(tls('elsewhere'))
      await expectRefusal(
        { REDIS_URL: `rediss://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') },
        /ERR_TLS_CERT_ALTNAME_INVALID/,
      )
    })
  })
})

describe.runIf(canRun)('the server starts and counts limits itself', () => {
  test('while Redis is away', async () => {
    await expectStart({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` })
  })

  test('while Redis is a replica, and logs the reason', async () => {
    const primary = await redisWith(() => [])
    const { port } = await redisWith(() => ['--replicaof', `127.0.0.1 ${primary.port}`])
    const server = await expectStart({ REDIS_URL: `redis://127.0.0.1:${port}` })
    await eventually(() =>
      expect(server.logs().find(({ msg }) => String(msg).startsWith('redis counter failed'))).toMatchObject({
        reason: expect.stringContaining('READONLY'),
      }),
    )
  })
})

describe.runIf(canRun)('behind three sentinels, the server', () => {
  test('counts in the primary, follows a failover, and refuses a name that they do not watch', async () => {
    const redis = await startSentinelCluster(binary, await temporaryFolder())
    onTestFinished(redis.remove)
    await expectRefusal({ ...redis.environment, REDIS_URL: 'redis://another' }, /do not watch a primary of that name/)
    const server = await expectStart(redis.environment)
    const lines = (message: string) => server.logs().filter(({ msg }) => msg === message)
    expect(lines('redis connection lost: counting limits in this process')).toEqual([])
    await redis.killPrimary()
    await eventually(() => expect(lines('redis connection restored').length).toBeGreaterThan(0))
  })
})

test.runIf(canRun)('the service returns to Redis when the sentinels announce a switch while it connects', async () => {
  const log = { info() {}, warn() {} } as unknown as Parameters<typeof connectRedis>[1]
  const { port } = await redisWith(() => [])
  const sentinel = await startSentinelStandIn(port)
  const redis = connectRedis({ url: 'redis://floorpass', sentinels: [sentinel.url] }, log)
  onTestFinished(() => redis.disconnect())
  await eventually(() => expect(redis.status).toBe('ready'))
  sentinel.holdAnswers()
  await execute('redis-cli', ['-p', String(port), 'CLIENT', 'KILL', 'TYPE', 'normal'])
  await eventually(() => expect(sentinel.waiting()).toBeGreaterThan(0))
  await sentinel.announceSwitch()
  sentinel.releaseAnswers()
  await eventually(() => expect(redis.status).toBe('ready'))
})
