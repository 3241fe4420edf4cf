import { policy } from '@floorpass/api'
import { hashToken } from '@floorpass/api/random-token'
import { adminOf } from '@floorpass/testing/admin-command'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const command = adminOf(app)
const secretForm = /fps_[\w-]{43}/g
const create = async (name: string) =>
  (await command('create-service', name, '--scopes', 'session:verify', '--quiet')).stdout.trim()
const secretsOf = (name: string) => app.db.serviceSecret.findMany({ where: { service: { name } }, orderBy: { createdAt: 'asc' } })
const failure = { code: 1, stdout: '', stderr: expect.stringMatching(/Nothing was done\.\n {2}Why: .+\n {2}Do: {2}.+/) }

describe('create-service', () => {
  test('prints the secret once and keeps its hash, the scopes and the operator', async () => {
    const { code, stdout } = await command(
      'create-service',
      'desk',
      '--scopes',
      'events:read, session:verify',
      '--operator',
      'grace',
    )
    const [secret = '', ...more] = stdout.match(secretForm) ?? []
    expect([code, more]).toEqual([0, []])
    expect(await app.db.service.findUnique({ where: { name: 'desk' }, include: { secrets: true } })).toMatchObject({
      scopes: ['session:verify', 'events:read'],
      createdBy: 'grace',
      secrets: [{ secretHash: hashToken(secret), expiresAt: null, lastUsedAt: null, uses: 0n }],
    })
  })

  test('prints the secret alone with --quiet, and in one field with --json', async () => {
    const quiet = await command('create-service', 'quiet', '--scopes', 'key:verify', '--quiet')
    expect(quiet).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^fps_[\w-]{43}\n$/) })
    const { json } = await command('create-service', 'json', '--scopes', 'key:verify', '--json')
    expect(json).toEqual({ name: 'json', scopes: ['key:verify'], secret: expect.stringMatching(/^fps_/) })
  })

  test('refuses a name that is taken, also when two operators choose it at once', async () => {
    const both = await Promise.all([1, 2].map(() => command('create-service', 'twice', '--scopes', 'key:verify')))
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(await command('create-service', 'twice', '--scopes', 'key:verify')).toMatchObject(failure)
    expect(await secretsOf('twice')).toHaveLength(1)
  })

  test.each([
    ['Upper', 'key:verify'],
    ['under_score', 'key:verify'],
    ['x'.repeat(41), 'key:verify'],
    ['', 'key:verify'],
    ['desk two', 'key:verify'],
    ['line\n', 'key:verify'],
    ['no-scopes', ''],
    ['no-scopes', ','],
    ['no-scopes', 'all'],
    ['no-scopes', 'key:verify,unknown'],
    ['no-scopes', 'KEY:VERIFY'],
  ])('refuses the name %j with the scopes %j', async (name, scopes) => {
    const { code, stdout, stderr } = await command('create-service', name, '--scopes', scopes)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/Why: .+\n {2}Do: /)])
    expect(await app.db.service.count({ where: { name } })).toBe(0)
  })

  test('needs --scopes', async () => {
    expect(await command('create-service', 'none')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('session:verify, key:verify, confirmation:create, confirmation:consume, events:read'),
    })
  })
})

describe('rotate-service', () => {
  test('adds a secret and lets the older one live for a day', async () => {
    const older = await create('rotated')
    holdClock()
    const end = new Date(Date.now() + policy.services.secretOverlap * 1000)
    const { stdout } = await command('rotate-service', 'rotated')
    const [newer = '', ...more] = stdout.match(secretForm) ?? []
    expect([more, stdout]).toEqual([[], expect.stringContaining(`The older one works until ${end.toISOString()}.`)])
    expect(await secretsOf('rotated')).toMatchObject([
      { secretHash: hashToken(older), expiresAt: end },
      { secretHash: hashToken(newer), expiresAt: null },
    ])
  })

  test('refuses a third live secret, and says when the next rotation is possible', async () => {
    await create('thrice')
    const clock = holdClock()
    await command('rotate-service', 'thrice')
    const before = await secretsOf('thrice')
    const refused = await command('rotate-service', 'thrice')
    expect(refused).toMatchObject(failure)
    expect(refused.stderr).toContain(before[0]?.expiresAt?.toISOString())
    expect(await secretsOf('thrice')).toEqual(before)
    clock.advance(policy.services.secretOverlap)
    expect((await command('rotate-service', 'thrice')).code).toBe(0)
    expect(await secretsOf('thrice')).toHaveLength(2)
  })

  test('keeps two secrets alive when many operators rotate at once', async () => {
    await create('crowd')
    const results = await Promise.all(Array.from({ length: 8 }, () => command('rotate-service', 'crowd')))
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1, 1, 1, 1])
    expect((await secretsOf('crowd')).map(({ expiresAt }) => expiresAt === null)).toEqual([false, true])
  })

  test('leaves only the new secret with --now', async () => {
    await create('at-once')
    await command('rotate-service', 'at-once')
    const { stdout } = await command('rotate-service', 'at-once', '--now', '--quiet')
    expect(await secretsOf('at-once')).toMatchObject([{ secretHash: hashToken(stdout.trim()), expiresAt: null }])
  })

  test('leaves the secrets of other services', async () => {
    const [mine, other] = [await create('mine'), await create('other')]
    await command('rotate-service', 'mine', '--now')
    expect(await secretsOf('mine')).not.toMatchObject([{ secretHash: hashToken(mine) }])
    expect(await secretsOf('other')).toMatchObject([{ secretHash: hashToken(other), expiresAt: null }])
  })

  test('refuses an unknown service', async () => {
    expect(await command('rotate-service', 'unknown')).toMatchObject(failure)
  })
})

describe('drop-service', () => {
  test('asks first, then deletes the service and all its secrets', async () => {
    await create('gone')
    await command('rotate-service', 'gone')
    expect(await command('drop-service', 'gone')).toMatchObject({ code: 2, stdout: '' })
    expect(await secretsOf('gone')).toHaveLength(2)
    expect(await command('drop-service', 'gone', '--yes')).toMatchObject({ code: 0 })
    expect(await secretsOf('gone')).toEqual([])
    expect(await app.db.service.count({ where: { name: 'gone' } })).toBe(0)
    expect(await command('drop-service', 'gone', '--yes')).toMatchObject(failure)
  })
})

describe('list-services', () => {
  test('shows scopes, operator and the uses of each secret, and no secret', async () => {
    const secret = await create('listed')
    await command('rotate-service', 'listed')
    const headers = { authorization: `Bearer ${secret}` }
    await app.browser({ origin: null }).post('/auth/introspect', { token: 'x' }, { headers })
    await app.service.deps.serviceUses.flush()
    const listed = await command('list-services', '--json')
    const times = { createdAt: expect.any(String) }
    expect(listed.json).toContainEqual({
      name: 'listed',
      scopes: ['session:verify'],
      createdBy: expect.any(String),
      ...times,
      secrets: [
        { ...times, lastUsedAt: expect.any(String), uses: 1, expiresAt: expect.any(String) },
        { ...times, lastUsedAt: null, uses: 0, expiresAt: null },
      ],
    })
    const { stdout } = await command('list-services')
    expect(stdout.split('\n').filter((line) => line.startsWith('listed '))).toHaveLength(2)
    expect(listed.stdout + stdout).not.toMatch(secretForm)
    expect(listed.stdout + stdout).not.toContain(hashToken(secret))
  })

  test('says so when there is none', async () => {
    const empty = await createTestApp()
    expect(await adminOf(empty)('list-services')).toMatchObject({
      code: 0,
      stdout: 'There are no services. Create one with create-service.\n',
    })
    expect((await adminOf(empty)('list-services', 'x')).code).toBe(2)
  })
})

describe('rotate-signing-keys', () => {
  test('says when the next key signs, and a second command does not hurry it', async () => {
    const { keys } = (await app.browser().get('/auth/jwks')).body as { keys: unknown[] }
    const first = await command('rotate-signing-keys', '--json')
    const { signsFrom } = first.json as { signsFrom: string }
    expect([first.code, Math.round((Date.parse(signsFrom) - Date.now()) / 60_000)]).toEqual([0, 15])
    expect((await command('rotate-signing-keys', '--json')).json).toEqual({ signsFrom })
    expect([keys.length, await app.db.signingKey.count()]).toEqual([2, 3])
    expect((await command('rotate-signing-keys', 'x')).code).toBe(2)
  })
})
