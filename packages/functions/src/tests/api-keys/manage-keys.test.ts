import { generateKeyPairSync } from 'node:crypto'
import { createKeySecret, policy } from '@floorpass/api'
import { askAboutKey, createApiKey, createSigner, toPem } from '@floorpass/testing/api-keys'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, found, memberIdOf } from '@floorpass/testing/organization'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { agePasskeys, serviceKey } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const day = 86_400
const service = app.browser({ origin: null })
const ask = (input: Record<string, unknown>) => askAboutKey(service, input)
const create = '/auth/api-key/create'
const rowOf = (id: string) => app.db.apiKey.findUniqueOrThrow({ where: { id } })
const keysOf = (userId: string) => app.db.apiKey.findMany({ where: { userId } })
/** Makes the caller's sign-in too old for a sensitive act. */
const age = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 3_600_000), authenticatedAt: null } })

/** Fields that no client of ours or of better-auth sends. */
const misspelled: [string, unknown][] = [
  ['ipAllowList', ['192.0.2.1']],
  ['allowlist', ['192.0.2.1']],
  ['expires', day],
  ['rateLimit', 10],
  ['permission', { order: ['read'] }],
]

async function openDesk() {
  const [owner, admin, member] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
  const { id } = await assemble(app, [
    [owner, 'owner'],
    [admin, 'admin'],
    [member, 'member'],
  ])
  return { owner, admin, member, id }
}

describe('creating a key', () => {
  test('shows the secret once, and stores its hash only', async () => {
    const tab = await app.signedIn()
    const created = await createApiKey(tab, { name: 'Market maker' })
    expect(created.key).toMatch(/^fp_user_[0-9A-Za-z]{49}$/)
    expect(created).toMatchObject({
      configId: 'default',
      name: 'Market maker',
      start: created.key.slice(0, 'fp_user_'.length + 4),
      prefix: null,
      referenceId: tab.userId,
      enabled: true,
      expiresAt: null,
      requestCount: 0,
      rateLimitEnabled: true,
      rateLimitTimeWindow: 60_000,
      remaining: null,
      permissions: { account: ['read'], order: ['read'] },
      metadata: null,
      publicKey: null,
      ipAllowlist: [],
      lastUsedAt: null,
      createdBy: tab.userId,
    })
    const rows = JSON.stringify([await app.readAllRows(), app.logs])
    expect(rows).not.toContain(created.key)
    expect((await tab.get(`/auth/api-key/get?id=${created.id}`)).body).not.toHaveProperty('key')
    expect(JSON.stringify((await tab.get('/auth/api-key/list')).body)).not.toContain(created.key)
  })

  test('gives each secret a start that tells it from the others', async () => {
    const tab = await app.signedIn()
    const created = await Promise.all([{}, {}, { prefix: 'desk_' }].map((input) => createApiKey(tab, input)))
    const starts = created.map(({ key, start }) => [start, key.startsWith(String(start))])
    expect(starts).toEqual([
      [expect.stringMatching(/^fp_user_[0-9A-Za-z]{4}$/), true],
      [expect.stringMatching(/^fp_user_[0-9A-Za-z]{4}$/), true],
      [expect.stringMatching(/^desk_fp_user_[0-9A-Za-z]{4}$/), true],
    ])
    expect(starts[0]).not.toEqual(starts[1])
  })

  test('records the creation, and emails the owner', async () => {
    const tab = await app.signedIn()
    await createApiKey(tab, { name: 'Market maker' })
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toContain('An API key was created')
    expect(await app.db.auditEvent.findFirstOrThrow({ where: { userId: tab.userId, action: 'create-api-key' } })).toMatchObject({
      details: { key: 'Market maker', permissions: 'account:read order:read' },
    })
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['an empty name', { name: '' }, 400, 'INVALID_NAME_LENGTH'],
    ['a name of 33 characters', { name: 'x'.repeat(33) }, 400, 'INVALID_NAME_LENGTH'],
    ['an invisible name', { name: '\u202e\u202d' }, 400, 'VALIDATION_ERROR'],
    ['an empty prefix', { prefix: '' }, 400, 'INVALID_PREFIX_LENGTH'],
    ['a prefix of 33 characters', { prefix: 'x'.repeat(33) }, 400, 'INVALID_PREFIX_LENGTH'],
    ['a prefix with a space', { prefix: 'a b' }, 400, 'VALIDATION_ERROR'],
    ['less than a day', { expiresIn: day - 1 }, 400, 'EXPIRES_IN_IS_TOO_SMALL'],
    ['more than a year', { expiresIn: 365 * day + 1 }, 400, 'EXPIRES_IN_IS_TOO_LARGE'],
    ['a list as metadata', { metadata: [] }, 400, 'INVALID_METADATA_TYPE'],
    ['a text as metadata', { metadata: 'x' }, 400, 'INVALID_METADATA_TYPE'],
    ['large metadata', { metadata: { text: 'x'.repeat(policy.apiKeys.metadata) } }, 400, 'VALIDATION_ERROR'],
    ['another owner', { userId: 'someone' }, 401, 'UNAUTHORIZED_SESSION'],
    ['a limit', { rateLimitMax: 1_000_000 }, 400, 'SERVER_ONLY_PROPERTY'],
    ['remaining calls', { remaining: 5 }, 400, 'SERVER_ONLY_PROPERTY'],
    ['an unknown permission', { permissions: { order: ['read', 'destroy'] } }, 400, 'VALIDATION_ERROR'],
    ['an unknown resource', { permissions: { prototype: ['read'] } }, 400, 'VALIDATION_ERROR'],
    ['no permission', { permissions: {} }, 400, 'VALIDATION_ERROR'],
    ['withdrawals without a passkey', { permissions: { withdrawal: ['create'] } }, 403, 'PASSKEY_REQUIRED'],
    ['a range that is none', { ipAllowlist: ['192.0.2.0/33'] }, 400, 'VALIDATION_ERROR'],
    ['a host name', { ipAllowlist: ['example.com'] }, 400, 'VALIDATION_ERROR'],
    ['a public key that is none', { publicKey: 'nonsense' }, 400, 'INVALID_PUBLIC_KEY'],
    ['a point beside its curve', { publicKey: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' } }, 400, 'INVALID_PUBLIC_KEY'],
    ...(['P-384', 'secp256k1'] as const).map((namedCurve): [string, Record<string, unknown>, number, string] => [
      `a key of ${namedCurve}`,
      { publicKey: toPem(generateKeyPairSync('ec', { namedCurve }).publicKey) },
      400,
      'INVALID_PUBLIC_KEY',
    ]),
    [
      'a key of RSA',
      { publicKey: toPem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey) },
      400,
      'INVALID_PUBLIC_KEY',
    ],
    ['an unknown configuration', { configId: 'other' }, 404, 'KEY_NOT_FOUND'],
    ['an organization that does not exist', { organizationId: 'none' }, 403, 'USER_NOT_MEMBER_OF_ORGANIZATION'],
  ])('refuses %s', async (_, fields, status, code) => {
    const tab = await app.signedIn()
    expect(outcome(await tab.post(create, { name: 'Bot', ...fields }))).toEqual([status, code])
    expect(await keysOf(tab.userId)).toEqual([])
  })

  test.each(misspelled)('refuses the unknown field %s, which may be a mistyped limit', async (field, value) => {
    const tab = await app.signedIn()
    const answer = await tab.post(create, { name: 'Bot', [field]: value })
    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body).toMatchObject({ message: expect.stringContaining(`"${field}"`) })
    expect(await keysOf(tab.userId)).toEqual([])
  })

  test('refuses a private key, also one that gives a public key', async () => {
    const tab = await app.signedIn()
    const { privateKey } = createSigner()
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const publicKey of [pem, privateKey.export({ format: 'jwk' })]) {
      expect(outcome(await tab.post(create, { publicKey }))).toEqual([400, 'INVALID_PUBLIC_KEY'])
    }
    expect(JSON.stringify([await app.readAllRows(), app.logs])).not.toContain(privateKey.export({ format: 'jwk' }).d)
  })

  test.each(['Ed25519', 'P-256'] as const)('takes a public key of %s, and then makes no secret', async (type) => {
    const tab = await app.signedIn()
    const { publicKey } = createSigner(type)
    const byPem = await createApiKey(tab, { publicKey: toPem(publicKey) })
    const byJwk = await createApiKey(tab, { publicKey: publicKey.export({ format: 'jwk' }) })
    for (const created of [byPem, byJwk]) {
      expect(created).not.toHaveProperty('key')
      expect(created).toMatchObject({ start: null, publicKey: publicKey.export({ format: 'jwk' }) })
      expect((await rowOf(created.id)).secretHash).toBeNull()
    }
  })

  test('needs a recent sign-in', async () => {
    const tab = await app.signedIn()
    await age(tab.userId)
    expect(outcome(await tab.post(create, {}))).toEqual([403, 'SESSION_NOT_FRESH'])
    expect(await keysOf(tab.userId)).toEqual([])
  })

  test('stores canonical ranges', async () => {
    const tab = await app.signedIn()
    const ipAllowlist = ['192.0.2.77/24', '192.0.2.0/24', '::ffff:198.51.100.7', '2001:0DB8:0::1/64', '203.0.113.9']
    const { id } = await createApiKey(tab, { ipAllowlist })
    expect((await rowOf(id)).ipAllowlist).toEqual(['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/64', '203.0.113.9/32'])
  })

  test.each([
    ['::ffff:192.0.2.0/96', '0.0.0.0/0'],
    ['::ffff:0:0/95', '::fffe:0:0/95'],
  ])('takes the range of mapped addresses %s for %s', async (range, stored) => {
    const { id } = await createApiKey(await app.signedIn(), { ipAllowlist: [range] })
    expect((await rowOf(id)).ipAllowlist).toEqual([stored])
  })

  test.each([
    [0, 200],
    [1, 400],
  ])('answers metadata with %s bytes more than the limit with %s', async (more, status) => {
    const tab = await app.signedIn()
    const empty = JSON.stringify({ text: '' }).length
    const metadata = { text: 'x'.repeat(policy.apiKeys.metadata - empty + more) }
    expect((await tab.post(create, { name: 'Limit', metadata })).status).toBe(status)
  })

  test('emails the name of the organization and a link to its keys', async () => {
    const { owner, id: organizationId } = await openDesk()
    const { slug } = await app.db.organization.findUniqueOrThrow({ where: { id: organizationId } })
    const mailed = async () => {
      await app.drainMail()
      const { subject, text } = app.outbox.lastTo(owner.person.email)
      expect(text).toContain(`${app.baseUrl}/settings/organizations/${slug}/api-keys`)
      expect(text).toContain('the organization “Desk”')
      return subject
    }
    const { id: keyId, key } = await createApiKey(owner, { organizationId })
    expect(await mailed()).toBe('An API key was created for Desk on Floorpass')
    await owner.post('/auth/api-key/update', { keyId, permissions: { order: ['cancel'] } })
    expect(await mailed()).toBe('An API key of Desk on Floorpass was changed')
    await owner.post('/auth/api-key/report', { key })
    expect(await mailed()).toBe('We deleted an API key of Desk on Floorpass')
  })

  test('counts keys of organizations for the organization only', async () => {
    const tab = await app.signedIn()
    const { id: organizationId } = await found(tab)
    const { userId } = tab
    const row = (n: number) => ({ id: crypto.randomUUID(), userId, organizationId, secretHash: `${userId} ${n}`, scopes: [] })
    await app.db.apiKey.createMany({ data: Array.from({ length: policy.apiKeys.perUser }, (_, n) => row(n)) })
    expect(outcome(await tab.post(create, { name: 'Bot' }))).toEqual([200, undefined])
    const { body } = await tab.get('/auth/api-key/list')
    expect(body).toMatchObject({ total: 1, apiKeys: [{ referenceId: userId }] })
  })

  test('stops at the limit of a person, also when many calls come at once', async () => {
    const tab = await app.signedIn()
    const answers = await Promise.all(Array.from({ length: policy.apiKeys.perUser + 5 }, () => tab.post(create, {})))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(policy.apiKeys.perUser)
    expect(answers.filter(({ code }) => code === 'API_KEY_LIMIT_REACHED')).toHaveLength(5)
    expect(await keysOf(tab.userId)).toHaveLength(policy.apiKeys.perUser)
  })

  test('stops at the limit of an organization, also when two admins create keys at once', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { userId } = owner
    const row = (n: number) => ({ id: crypto.randomUUID(), userId, organizationId, secretHash: `${userId} ${n}`, scopes: [] })
    await app.db.apiKey.createMany({ data: Array.from({ length: policy.apiKeys.perOrganization - 4 }, (_, n) => row(n)) })
    const tabs = Array.from({ length: 6 }, () => [owner, admin]).flat()
    const answers = await Promise.all(tabs.map((tab) => tab.post(create, { organizationId })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(answers.filter(({ code }) => code === 'API_KEY_LIMIT_REACHED')).toHaveLength(8)
  })

  test('creates a key that withdraws only with a passkey, and each answer works once', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    const permissions = { withdrawal: ['create'] }
    const passkey = await createAssertion(tab, authenticator)
    const created = await createApiKey(tab, { permissions, passkey })
    expect((await rowOf(created.id)).scopes).toEqual(['withdrawal:create'])
    expect(outcome(await tab.post(create, { permissions, passkey }))).toEqual([400, 'CHALLENGE_NOT_FOUND'])
    expect(await keysOf(tab.userId)).toHaveLength(1)
  })
})

describe('changing a key', () => {
  const update = (tab: { post: typeof service.post }, input: Record<string, unknown>) => tab.post('/auth/api-key/update', input)

  test.each<[string, Record<string, unknown>]>([
    ['a permission', { permissions: { order: ['read', 'cancel'] } }],
    ['any address', { ipAllowlist: [] }],
    ['another address', { ipAllowlist: ['192.0.2.1', '192.0.2.2'] }],
    ['a wider range', { ipAllowlist: ['192.0.2.0/31'] }],
    ['an address of IPv6', { ipAllowlist: ['::c000:201'] }],
    ['a life without an end', { expiresIn: null }],
    ['a longer life', { expiresIn: 2 * day }],
    ['being enabled', { enabled: true }],
  ])('needs a recent sign-in for %s, and mails it', async (_, more) => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab, { expiresIn: day, ipAllowlist: ['192.0.2.1'] })
    await update(tab, { keyId: id, enabled: false })
    await app.drainMail()
    const mails = app.outbox.to(tab.person.email).length
    await age(tab.userId)
    const before = await rowOf(id)
    expect(outcome(await update(tab, { keyId: id, ...more }))).toEqual([403, 'SESSION_NOT_FRESH'])
    expect(await rowOf(id)).toEqual(before)
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { authenticatedAt: new Date() } })
    expect((await update(tab, { keyId: id, ...more })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toHaveLength(mails + 1)
  })

  test.each<[string, Record<string, unknown>]>([
    ['a shorter life', { expiresIn: day }],
    ['one of its addresses', { ipAllowlist: ['198.51.100.7'] }],
    ['a part of a range', { ipAllowlist: ['192.0.2.64/26', '2001:db8::/64'] }],
    ['the same addresses in another form', { ipAllowlist: ['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/32'] }],
    ['fewer permissions', { permissions: { order: ['read'] } }],
    ['being enabled when it is', { enabled: true }],
  ])('needs only a session for %s, and mails nothing', async (_, less) => {
    const tab = await app.signedIn()
    const ipAllowlist = ['198.51.100.7', '192.0.2.128/25', '192.0.2.0/25', '2001:db8::/32']
    const { id } = await createApiKey(tab, { expiresIn: 2 * day, ipAllowlist, permissions: { order: ['read', 'cancel'] } })
    await app.drainMail()
    const mails = app.outbox.to(tab.person.email).length
    await age(tab.userId)
    expect(outcome(await update(tab, { keyId: id, ...less }))).toEqual([200, undefined])
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toHaveLength(mails)
  })

  test('calls a key without a name by the start of its secret, or else by its id', async () => {
    const tab = await app.signedIn()
    const secret = await createApiKey(tab, { name: undefined })
    const signing = await createApiKey(tab, { name: undefined, publicKey: toPem(createSigner().publicKey) })
    for (const { id } of [secret, signing]) await update(tab, { keyId: id, enabled: false })
    const events = await app.db.auditEvent.findMany({
      where: { userId: tab.userId, action: 'update-api-key' },
      orderBy: { id: 'asc' },
    })
    expect(events.map(({ details }) => (details as { key: string }).key)).toEqual([`${secret.start}…`, signing.id])
  })

  test('lets a key without limits get its first limits with only a session', async () => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab)
    await age(tab.userId)
    const less = { keyId: id, expiresIn: 365 * day, ipAllowlist: ['0.0.0.0/0'] }
    expect(outcome(await update(tab, less))).toEqual([200, undefined])
    expect(outcome(await update(tab, { ...less, ipAllowlist: ['::/0'] }))).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  test.each(misspelled)('refuses the unknown field %s, which may be a mistyped limit', async (field, value) => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab)
    const before = await rowOf(id)
    const answer = await update(tab, { keyId: id, name: 'Limited', [field]: value })
    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body).toMatchObject({ message: expect.stringContaining(`"${field}"`) })
    expect(await rowOf(id)).toEqual(before)
  })

  test('needs only a session to do less', async () => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab, { permissions: { order: ['read', 'cancel'] } })
    await age(tab.userId)
    const less = { keyId: id, enabled: false, name: 'Off', permissions: { order: ['read'] }, metadata: { desk: 3 } }
    const answer = await update(tab, less)
    expect(answer.body).toMatchObject({ enabled: false, name: 'Off', permissions: { order: ['read'] }, metadata: { desk: 3 } })
    expect((await update(tab, { keyId: id, metadata: null })).body).toMatchObject({ metadata: null })
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['nothing', {}, 400, 'NO_VALUES_TO_UPDATE'],
    ['an unknown key', { keyId: 'none', name: 'x' }, 404, 'KEY_NOT_FOUND'],
    ['another configuration', { configId: 'other', name: 'x' }, 404, 'KEY_NOT_FOUND'],
    ['another owner', { userId: 'someone', name: 'x' }, 401, 'UNAUTHORIZED_SESSION'],
    ['a limit', { rateLimitEnabled: false }, 400, 'SERVER_ONLY_PROPERTY'],
    ['withdrawals without a passkey', { permissions: { withdrawal: ['create'] } }, 403, 'PASSKEY_REQUIRED'],
    ['a long name', { name: 'x'.repeat(33) }, 400, 'INVALID_NAME_LENGTH'],
  ])('refuses %s', async (_, fields, status, code) => {
    const tab = await app.signedIn()
    const { id } = await createApiKey(tab)
    const before = await rowOf(id)
    expect(outcome(await update(tab, { keyId: id, ...fields }))).toEqual([status, code])
    expect(await rowOf(id)).toEqual(before)
  })
})

test('a key cannot place orders while trading is off for its owner, and the refusal says so', async () => {
  const tab = await app.signedIn()
  const { id: keyId } = await createApiKey(tab)
  const before = await keysOf(tab.userId)
  const permissions = { order: ['read', 'place'] }
  for (const answer of [
    await tab.post(create, { permissions }),
    await tab.post('/auth/api-key/update', { keyId, permissions }),
  ]) {
    const message = 'Trading is off for your account. Turn it on before you let an API key place orders.'
    expect([answer.status, answer.body]).toEqual([403, { code: 'INSUFFICIENT_SCOPE', message }])
  }
  expect(await keysOf(tab.userId)).toEqual(before)
  await tab.post('/auth/update-user', { tradingEnabled: true })
  expect(outcome(await tab.post(create, { permissions }))).toEqual([200, undefined])
})

describe('a key that may withdraw', () => {
  test('needs a passkey that is a day old: a thief may have added a newer one', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    const attempt = async () => {
      await tab.post('/auth/sign-in/email', tab.person)
      const passkey = await createAssertion(tab, authenticator)
      return outcome(await tab.post(create, { name: 'Bot', permissions: { withdrawal: ['create'] }, passkey }))
    }
    clock.advance(day - 1)
    expect(await attempt()).toEqual([403, 'PASSKEY_TOO_NEW'])
    clock.advance(1)
    await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: null } })
    expect(await attempt()).toEqual([200, undefined])
  })

  test.each<[string, Parameters<typeof createAssertion>[2], string]>([
    ['that did not verify its person', { userVerified: false }, 'USER_VERIFICATION_REQUIRED'],
    ['that was copied', { counter: 1 }, 'AUTHENTICATION_FAILED'],
  ])('is neither created nor freed of its limits by a passkey %s', async (_, deviation, code) => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    const fields = { permissions: { withdrawal: ['create'] }, ipAllowlist: ['192.0.2.1'] }
    const { id: keyId } = await createApiKey(tab, { ...fields, passkey: await createAssertion(tab, authenticator) })
    const before = await keysOf(tab.userId)
    for (const [path, input] of [
      [create, fields],
      ['/auth/api-key/update', { keyId, ipAllowlist: [] }],
    ] as const) {
      const passkey = await createAssertion(tab, authenticator, deviation)
      expect((await tab.post(path, { ...input, passkey })).code).toBe(code)
    }
    expect(await keysOf(tab.userId)).toEqual(before)
  })

  test('needs no passkey to be limited further', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    const passkey = await createAssertion(tab, authenticator)
    const { id: keyId } = await createApiKey(tab, { permissions: { withdrawal: ['create'] }, passkey })
    const less = { keyId, expiresIn: day, ipAllowlist: ['192.0.2.1'] }
    expect(outcome(await tab.post('/auth/api-key/update', less))).toEqual([200, undefined])
  })

  test.each<[string, Record<string, unknown>]>([
    ['another address', { ipAllowlist: [] }],
    ['a longer life', { expiresIn: null }],
    ['being enabled', { enabled: true }],
    ['one more permission', { permissions: { withdrawal: ['create'], order: ['read'] } }],
  ])('needs the passkey again for %s', async (_, more) => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await agePasskeys(app, tab.userId)
    const fields = { permissions: { withdrawal: ['create'] }, ipAllowlist: ['192.0.2.1'], expiresIn: day }
    const { id: keyId } = await createApiKey(tab, { ...fields, passkey: await createAssertion(tab, authenticator) })
    await tab.post('/auth/api-key/update', { keyId, enabled: false })
    const before = await rowOf(keyId)
    expect(outcome(await tab.post('/auth/api-key/update', { keyId, ...more }))).toEqual([403, 'PASSKEY_REQUIRED'])
    expect(await rowOf(keyId)).toEqual(before)
    const passkey = await createAssertion(tab, authenticator)
    expect((await tab.post('/auth/api-key/update', { keyId, ...more, passkey })).status).toBe(200)
  })
})

describe('another person', () => {
  test('neither sees, changes nor deletes a key', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const { id } = await createApiKey(owner)
    const before = await rowOf(id)
    for (const answer of [
      await other.get(`/auth/api-key/get?id=${id}`),
      await other.post('/auth/api-key/update', { keyId: id, enabled: false }),
      await other.post('/auth/api-key/delete', { keyId: id }),
    ])
      expect(outcome(answer)).toEqual([404, 'KEY_NOT_FOUND'])
    expect((await other.get('/auth/api-key/list')).body).toEqual({ apiKeys: [], total: 0 })
    expect(await rowOf(id)).toEqual(before)
  })
})

describe('the list', () => {
  test('sorts, and gives a page with the total', async () => {
    const tab = await app.signedIn()
    for (const name of ['b', 'c', 'a']) await createApiKey(tab, { name })
    const names = async (query: string) => {
      const { body } = await tab.get(`/auth/api-key/list?${query}`)
      const { apiKeys, ...rest } = body as { apiKeys: { name: string }[] }
      return [apiKeys.map(({ name }) => name).join(''), rest]
    }
    expect(await names('')).toEqual(['bca', { total: 3 }])
    expect(await names('sortBy=name&sortDirection=desc')).toEqual(['cba', { total: 3 }])
    expect(await names('sortBy=name&limit=1&offset=1')).toEqual(['b', { total: 3, limit: 1, offset: 1 }])
    expect(await names('configId=default')).toEqual(['bca', { total: 3 }])
    expect(await names('configId=other')).toEqual(['', { total: 0 }])
    expect(outcome(await tab.get('/auth/api-key/list?sortBy=secretHash'))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('keys of an organization', () => {
  test('belong to owners and admins; members see nothing', async () => {
    const { owner, admin, member, id: organizationId } = await openDesk()
    const created = await createApiKey(admin, { organizationId })
    expect(created).toMatchObject({ referenceId: organizationId, createdBy: admin.userId })
    expect(created.key).toMatch(/^fp_org_/)
    expect((await owner.get(`/auth/api-key/list?organizationId=${organizationId}`)).body).toMatchObject({ total: 1 })
    expect((await owner.get('/auth/api-key/list')).body).toMatchObject({ total: 0 })
    const refused = [403, 'INSUFFICIENT_API_KEY_PERMISSIONS']
    expect(outcome(await member.post(create, { organizationId }))).toEqual(refused)
    expect(outcome(await member.get(`/auth/api-key/list?organizationId=${organizationId}`))).toEqual(refused)
    expect(outcome(await member.get(`/auth/api-key/get?id=${created.id}`))).toEqual(refused)
    expect(outcome(await member.post('/auth/api-key/update', { keyId: created.id, enabled: false }))).toEqual(refused)
    expect(outcome(await member.post('/auth/api-key/delete', { keyId: created.id }))).toEqual(refused)
    const outsider = await app.signedIn()
    expect(outcome(await outsider.get(`/auth/api-key/list?organizationId=${organizationId}`))).toEqual([
      403,
      'USER_NOT_MEMBER_OF_ORGANIZATION',
    ])
    expect(outcome(await outsider.get(`/auth/api-key/get?id=${created.id}`))).toEqual([404, 'KEY_NOT_FOUND'])
    expect((await owner.post('/auth/api-key/delete', { keyId: created.id })).body).toEqual({ success: true })
    expect(await app.db.apiKey.findUnique({ where: { id: created.id } })).toBeNull()
  })

  test('are in the activity of their organization, and those of a person are not', async () => {
    const { owner, id: organizationId } = await openDesk()
    for (const options of [{ organizationId }, {}]) {
      const { id: keyId } = await createApiKey(owner, options)
      await owner.post('/auth/api-key/update', { keyId, enabled: false })
      await owner.post('/auth/api-key/delete', { keyId })
    }
    const { body } = await owner.get(`/auth/organization/list-activity?organizationId=${organizationId}`)
    const actions = (body as { events: { action: string }[] }).events.map(({ action }) => action)
    expect(actions.filter((action) => action.endsWith('-api-key'))).toEqual([
      'delete-api-key',
      'update-api-key',
      'create-api-key',
    ])
  })

  test('end with the membership of their creator, the account and the organization', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const [left, kept] = [await createApiKey(admin, { organizationId }), await createApiKey(owner, { organizationId })]
    await admin.post('/auth/organization/leave', { organizationId })
    expect(await ask({ key: left.key })).toMatchObject({ valid: false, error: { code: 'INVALID_API_KEY' } })
    expect(await ask({ key: kept.key })).toMatchObject({ valid: true })
    await owner.post('/auth/organization/delete', { organizationId })
    expect(await ask({ key: kept.key })).toMatchObject({ valid: false })
    const own = await createApiKey(owner)
    await owner.post('/auth/delete-user', { password: owner.person.password })
    expect(await ask({ key: own.key })).toMatchObject({ valid: false })
    expect(await app.db.apiKey.count({ where: { id: { in: [left.id, kept.id, own.id] } } })).toBe(0)
  })

  test('mail their creator too when another admin lets them do more', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { id: keyId } = await createApiKey(admin, { organizationId, name: 'Market maker', ipAllowlist: ['192.0.2.1'] })
    const subjectsAfter = async (tab: typeof owner, input: Record<string, unknown>) => {
      await app.drainMail()
      const before = app.outbox.mails.length
      expect(outcome(await tab.post('/auth/api-key/update', { keyId, ...input }))).toEqual([200, undefined])
      await app.drainMail()
      return app.outbox.mails.slice(before).map(({ to, subject }) => [to, subject])
    }
    const changed = 'An API key of Desk on Floorpass was changed'
    const byAnother = 'Someone changed your API key of Desk on Floorpass'
    expect(new Set(await subjectsAfter(owner, { ipAllowlist: [] }))).toEqual(
      new Set([
        [owner.person.email, changed],
        [admin.person.email, byAnother],
      ]),
    )
    const { text } = app.outbox.lastTo(admin.person.email)
    expect(text).toContain(`${owner.person.name} changed the API key “Market maker”`)
    expect(text).not.toContain('choose a new password')
    expect(await subjectsAfter(owner, { enabled: false })).toEqual([])
    expect(await subjectsAfter(admin, { enabled: true })).toEqual([[admin.person.email, changed]])
  })

  test('of another member cannot be widened by an admin on hold', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { id: keyId } = await createApiKey(admin, { organizationId, ipAllowlist: ['192.0.2.1'] })
    await app.db.user.update({ where: { id: owner.userId }, data: { heldUntil: new Date(Date.now() + 60_000) } })
    const change = async (tab: typeof owner, fields: object) =>
      outcome(await tab.post('/auth/api-key/update', { keyId, ...fields }))
    expect(await change(owner, { ipAllowlist: [] })).toEqual([403, 'ACCOUNT_HELD'])
    expect(await change(owner, { enabled: false })).toEqual([200, undefined])
    expect(await change(owner, { enabled: true })).toEqual([403, 'ACCOUNT_HELD'])
    expect(await change(admin, { enabled: true })).toEqual([200, undefined])
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'are widened only with a recent sign-in, also when their creator is stopped while the request waits',
    async () => {
      const { owner, admin, id: organizationId } = await openDesk()
      const { id: keyId } = await createApiKey(admin, { organizationId })
      await age(owner.userId)
      let waiting: ReturnType<typeof owner.post> | undefined
      // As a panic link does.
      await app.db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM users WHERE id = ${admin.userId} FOR NO KEY UPDATE`
        await tx.apiKey.update({ where: { id: keyId }, data: { enabled: false } })
        waiting = owner.post('/auth/api-key/update', { keyId, enabled: true })
        await waitForLocks(app)
      })
      expect((await waiting)?.code).toBe('SESSION_NOT_FRESH')
      expect(await app.db.apiKey.findUniqueOrThrow({ where: { id: keyId } })).toMatchObject({ enabled: false })
    },
  )

  test('end with their creator, who gets no email later', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { id: keyId } = await createApiKey(admin, { organizationId })
    await admin.post('/auth/organization/leave', { organizationId })
    await app.drainMail()
    const before = app.outbox.mails.length
    const answer = await owner.post('/auth/api-key/update', { keyId, permissions: { order: ['cancel'] } })
    expect(outcome(answer)).toEqual([404, 'KEY_NOT_FOUND'])
    await app.drainMail()
    expect(app.outbox.mails.length).toBe(before)
  })

  test('stop when their creator may no longer have keys', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { key } = await createApiKey(admin, { organizationId })
    expect(await ask({ key })).toMatchObject({ valid: true, key: { organizationId, role: 'admin', referenceId: organizationId } })
    const role = (name: string) =>
      memberIdOf(app, organizationId, admin).then((memberId) =>
        owner.post('/auth/organization/member/update-role', { organizationId, memberId, role: name }),
      )
    expect((await role('member')).status).toBe(200)
    expect(await ask({ key })).toMatchObject({ valid: false, error: { code: 'KEY_DISABLED' } })
    await role('admin')
    expect(await ask({ key })).toMatchObject({ valid: true })
  })
})

describe('a leaked secret', () => {
  test('can be reported by anyone: the key is deleted and the owner gets an email', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab, { name: 'In a repository' })
    expect(await ask({ key })).toMatchObject({ valid: true })
    expect((await app.browser({ origin: null }).post('/auth/api-key/report', { key })).body).toEqual({ status: true })
    expect(await ask({ key })).toMatchObject({ valid: false, error: { code: 'INVALID_API_KEY' } })
    expect(await app.db.apiKey.findUnique({ where: { id } })).toBeNull()
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toContain('We deleted an API key')
    const { body } = await tab.get('/auth/list-activity')
    expect((body as { events: unknown[] }).events[0]).toMatchObject({ action: 'report-api-key', byAnother: true, ipAddress: '' })
  })

  test.each([
    ['alone, without the prefix of its owner', (secret: string) => secret],
    ['with the prefix', (secret: string) => `acme_${secret}`],
    ['between quotes', (secret: string) => `"${secret}"`],
    ['in a line of a file', (secret: string) => `  TOKEN=${secret}\n`],
    ['after a text with a wrong checksum', (secret: string) => `${secret.slice(0, -1)}${secret.endsWith('0') ? 1 : 0} ${secret}`],
  ])('is found %s', async (_, around) => {
    const { key } = await createApiKey(await app.signedIn(), { prefix: 'acme_' })
    const secret = key.slice('acme_'.length)
    expect(key).toMatch(/^acme_fp_user_[0-9A-Za-z]{49}$/)
    for (const presented of [key, secret]) expect(await ask({ key: presented })).toMatchObject({ valid: true })
    expect((await app.browser({ origin: null }).post('/auth/api-key/report', { key: around(secret) })).status).toBe(200)
    expect(await ask({ key })).toMatchObject({ valid: false, error: { code: 'INVALID_API_KEY' } })
  })

  test('of an organization: its creator and the owners get a mail', async () => {
    const { owner, admin, id: organizationId } = await openDesk()
    const { key } = await createApiKey(admin, { organizationId })
    await app.drainMail()
    const before = app.outbox.mails.length
    await app.browser({ origin: null }).post('/auth/api-key/report', { key })
    await app.drainMail()
    const recipients = app.outbox.mails.slice(before).map(({ to }) => to)
    expect(recipients.toSorted()).toEqual([owner.person.email, admin.person.email].toSorted())
  })

  test('is found beside other secrets, and each of their keys ends', async () => {
    const tab = await app.signedIn()
    const [first, second] = [await createApiKey(tab), await createApiKey(tab)]
    await tab.post('/auth/api-key/report', { key: `${createKeySecret('user')}\n${first.key}\n${second.key}` })
    expect(await app.db.apiKey.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('is answered alike when it is unknown', async () => {
    const { key } = await createApiKey(await app.signedIn())
    for (const secret of ['nonsense', key, key, `${key.slice(0, -1)}0`])
      expect((await app.browser().post('/auth/api-key/report', { key: secret })).body).toEqual({ status: true })
  })
})

test('the export has the keys of the person, without a secret', async () => {
  const tab = await app.signedIn()
  const { id, key } = await createApiKey(tab)
  const { body } = await tab.get('/auth/export-data')
  expect((body as { apiKeys: unknown[] }).apiKeys).toMatchObject([
    { id, name: 'Bot', permissions: { account: ['read'], order: ['read'] } },
  ])
  expect(JSON.stringify(body)).not.toContain(key)
})

test.runIf(testDatabase.kind === 'postgres').each(['create', 'update', 'delete'])(
  'an admin who loses the role while api-key/%s waits for the organization changes nothing',
  async (route) => {
    const [owner, admin] = await Promise.all([app.signedIn(), app.signedIn()])
    const { id: organizationId } = await assemble(app, [
      [owner, 'owner'],
      [admin, 'admin'],
    ])
    const { id: keyId } = await createApiKey(owner, { organizationId })
    const before = await app.db.apiKey.findMany({ where: { organizationId } })
    const input = { create: { organizationId }, update: { keyId, name: 'Mine' }, delete: { keyId } }[route] ?? {}
    let answer: ReturnType<typeof admin.post> | undefined
    await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM organizations WHERE id = ${organizationId} FOR UPDATE`
      await tx.member.updateMany({ where: { organizationId, userId: admin.userId }, data: { role: 'member' } })
      answer = admin.post(`/auth/api-key/${route}`, input)
      await waitForLocks(app)
    })
    expect((await answer)?.code).toBe('INSUFFICIENT_API_KEY_PERMISSIONS')
    expect(await app.db.apiKey.findMany({ where: { organizationId } })).toEqual(before)
  },
)

test.runIf(testDatabase.kind === 'postgres')('a report waits for a change of a key of its organization', async () => {
  const owner = await app.signedIn()
  const { id: organizationId } = await found(owner)
  const { id, key } = await createApiKey(owner, { organizationId })
  let answer: ReturnType<typeof owner.post> | undefined
  await app.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM organizations WHERE id = ${organizationId} FOR UPDATE`
    answer = app.browser().post('/auth/api-key/report', { key })
    await waitForLocks(app)
    expect(await tx.apiKey.count({ where: { id } })).toBe(1)
  })
  expect((await answer)?.status).toBe(200)
  expect(await app.db.apiKey.count({ where: { id } })).toBe(0)
})
