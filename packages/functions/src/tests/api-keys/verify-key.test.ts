import { limits, policy } from '@floorpass/api'
import { createOperator, suspendUser } from '@floorpass/api/administration'
import { askAboutKey, createApiKey, createSigner, signRequest, toPem } from '@floorpass/testing/api-keys'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const day = 86_400
const service = app.browser({ origin: null })
const ask = (input: Record<string, unknown>) => askAboutKey(service, input)
const codeOf = async (input: Record<string, unknown>) => (await ask(input)).error?.code ?? 'valid'

/** A person who may trade. */
async function trader() {
  const tab = await app.signedIn()
  await app.db.user.update({ where: { id: tab.userId }, data: { tradingEnabled: true } })
  return tab
}
const lock = { lockKind: 'owner', lockedAt: new Date(), unlockDays: 1 }
const hold = { heldUntil: new Date(Date.now() + day * 1000) }

describe('a bearer key', () => {
  test('shows its settings to a service', async () => {
    const tab = await trader()
    const fields = { permissions: { order: ['read', 'place'] }, metadata: { account: 'hedge' } }
    const { id, key } = await createApiKey(tab, { ...fields, expiresIn: day })
    const answer = await ask({ key, permissions: { order: ['place'] } })
    expect(answer).toEqual({
      valid: true,
      error: null,
      key: {
        id,
        configId: 'default',
        name: 'Bot',
        start: key.slice(0, 'fp_user_'.length + 4),
        prefix: null,
        referenceId: tab.userId,
        userId: tab.userId,
        organizationId: null,
        role: null,
        enabled: true,
        expiresAt: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        permissions: { order: ['read', 'place'] },
        metadata: { account: 'hedge' },
        publicKey: null,
        ipAllowlist: [],
        method: 'bearer',
      },
    })
  })

  test('is refused when it is wrong, without saying which part is wrong', async () => {
    const { key } = await createApiKey(await app.signedIn())
    const other = key.at(-1) === '0' ? '1' : '0'
    for (const wrong of ['nonsense', `${key.slice(0, -1)}${other}`, `${key} `, key.toLowerCase(), `x${'a'.repeat(400)}`])
      expect(await codeOf({ key: wrong })).toBe('INVALID_API_KEY')
    expect(await codeOf({ key, configId: 'other' })).toBe('INVALID_API_KEY')
  })

  test.each([
    [{}, 400],
    [{ key: '' }, 400],
    [{ key: 'x'.repeat(513) }, 400],
    [{ key: 7 }, 400],
    [{ key: 'x', request: {} }, 400],
    [{ key: 'x', ip: 'localhost' }, 400],
    [{ key: 'x', permissions: ['order'] }, 400],
    [{ key: 'x', permissions: { order: [] } }, 400],
    [JSON.parse('{"key":"x","permissions":{"__proto__":["read"]}}'), 400],
  ])('a service that sends %j gets %i', async (input, status) => {
    const answer = await service.post('/auth/api-key/verify', input, { headers: { authorization: `Bearer ${serviceKey}` } })
    expect(outcome(answer)).toEqual([status, 'VALIDATION_ERROR'])
  })

  test('is shown only to services with the scope key:verify', async () => {
    const { key } = await createApiKey(await app.signedIn())
    expect(outcome(await service.post('/auth/api-key/verify', { key }))).toEqual([401, 'UNAUTHORIZED'])
    const tab = await app.signedIn()
    expect(outcome(await tab.post('/auth/api-key/verify', { key }))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('never does more than its owner may now', async () => {
    const tab = await trader()
    const { key } = await createApiKey(tab, { permissions: { order: ['read', 'place'] } })
    const place = { key, permissions: { order: ['place'] } }
    expect(await codeOf(place)).toBe('valid')
    await app.db.user.update({ where: { id: tab.userId }, data: { tradingEnabled: false } })
    expect(await codeOf(place)).toBe('INSUFFICIENT_SCOPE')
    expect((await ask({ key })).key).toMatchObject({ permissions: { order: ['read'] } })
    await suspendUser(createOperator(app.service.deps, 'root'), tab.userId, 'test')
    await app.service.deps.changes.flush()
    expect(await codeOf({ key })).toBe('KEY_DISABLED')
  })

  test.each([
    ['the lock', 'ACCOUNT_LOCKED', lock],
    ['the hold', 'ACCOUNT_HELD', hold],
    ['the lock and the hold', 'ACCOUNT_LOCKED', { ...lock, ...hold }],
  ])('says that %s of its owner stops a withdrawal, and reads on', async (_, code, data) => {
    const tab = await trader()
    const [bot, reader] = [await createApiKey(tab), await createApiKey(tab)]
    await app.db.apiKey.update({ where: { id: bot.id }, data: { scopes: ['order:read', 'withdrawal:create'] } })
    const withdraw = { withdrawal: ['create'] }
    expect(await codeOf({ key: bot.key, permissions: withdraw })).toBe('valid')
    await app.db.user.update({ where: { id: tab.userId }, data })
    expect(await codeOf({ key: bot.key, permissions: withdraw })).toBe(code)
    expect(await codeOf({ key: bot.key, permissions: { order: ['read'] } })).toBe('valid')
    expect(await codeOf({ key: bot.key, permissions: { ...withdraw, order: ['place'] } })).toBe('INSUFFICIENT_SCOPE')
    expect(await codeOf({ key: reader.key, permissions: withdraw })).toBe('INSUFFICIENT_SCOPE')
  })

  test.each([
    ['withdrawal', ['read']],
    ['order', ['cancel']],
    ['order', ['read', 'cancel']],
    ['unknown', ['read']],
  ])('has no right that it was not given: %s %j', async (resource, actions) => {
    const { key } = await createApiKey(await app.signedIn(), { permissions: { order: ['read'] } })
    expect(await codeOf({ key, permissions: Object.fromEntries([[resource, actions]]) })).toBe('INSUFFICIENT_SCOPE')
  })

  test('works until its last millisecond', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab, { expiresIn: day })
    const { expiresAt } = await app.db.apiKey.findUniqueOrThrow({ where: { id } })
    const clock = holdClock()
    clock.advance(((expiresAt?.getTime() ?? 0) - Date.now() - 1) / 1000)
    expect(await codeOf({ key })).toBe('valid')
    clock.advance(0.001)
    expect(await codeOf({ key })).toBe('KEY_EXPIRED')
  })

  test('is refused from the next call on after each change', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab)
    const update = (fields: object) => tab.post('/auth/api-key/update', { keyId: id, ...fields })
    expect(await codeOf({ key })).toBe('valid')
    await update({ enabled: false })
    expect(await codeOf({ key })).toBe('KEY_DISABLED')
    await update({ enabled: true })
    expect(await codeOf({ key })).toBe('valid')
    await update({ ipAllowlist: ['192.0.2.1'] })
    expect(await codeOf({ key, ip: '192.0.2.2' })).toBe('IP_NOT_ALLOWED')
    await tab.post('/auth/api-key/delete', { keyId: id })
    expect(await codeOf({ key, ip: '192.0.2.1' })).toBe('INVALID_API_KEY')
  })

  test('is read once, and then from memory', async () => {
    const { key } = await createApiKey(await app.signedIn())
    await ask({ key })
    const { sql } = app.service.deps
    let reads = 0
    const read = sql.$queryRaw
    sql.$queryRaw = ((...statement: Parameters<typeof read>) => {
      reads += 1
      return read(...statement)
    }) as typeof read
    onTestFinished(() => {
      sql.$queryRaw = read
    })
    // A late heartbeat of the channel, on a busy machine, makes the memory doubtful for a moment.
    await eventually(async () => {
      reads = 0
      for (let call = 0; call < 5; call += 1) expect(await codeOf({ key })).toBe('valid')
      expect(reads).toBe(0)
    })
  })

  test('counts its uses in memory, and keeps the last time and address', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab, { ipAllowlist: ['192.0.2.0/24'] })
    const before = (await app.db.apiKey.findUniqueOrThrow({ where: { id } })).updatedAt
    for (const ip of ['192.0.2.1', '::FFFF:192.0.2.2']) await ask({ key, ip })
    await ask({ key, ip: '198.51.100.1' })
    expect((await app.db.apiKey.findUniqueOrThrow({ where: { id } })).uses).toBe(0n)
    await app.service.deps.keyUses.flush()
    expect(await app.db.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({
      uses: 2n,
      lastUsedIp: '192.0.2.2',
      lastUsedAt: expect.any(Date),
      updatedAt: before,
    })
    const { body } = await tab.get(`/auth/api-key/get?id=${id}`)
    expect(body).toMatchObject({ requestCount: 2, lastUsedIp: '192.0.2.2' })
  })
})

describe('an allow-list', () => {
  test.each<[string[], string | undefined, boolean]>([
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/24'], undefined, false],
    [['192.0.2.7'], '::ffff:192.0.2.7', true],
    [['::ffff:192.0.2.7'], '192.0.2.7', true],
    [['::ffff:192.0.2.0/120'], '192.0.2.9', true],
    [['192.0.2.7'], '::ffff:c000:207', true],
    [['2001:db8::/64'], '2001:0db8:0000:0000:ffff::1', true],
    [['2001:db8::/64'], '2001:db8:0:1::1', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '192.0.2.1', false],
    [['0.0.0.0/0', '::/0'], '2001:db8::1', true],
    [[], undefined, true],
  ])('%j and a caller from %s: %s', async (ipAllowlist, ip, isAllowed) => {
    const { key } = await createApiKey(await app.signedIn(), { ipAllowlist })
    expect(await codeOf({ key, ...(ip !== undefined && { ip }) })).toBe(isAllowed ? 'valid' : 'IP_NOT_ALLOWED')
  })
})

describe('a signed request', () => {
  const setUp = async (type: 'Ed25519' | 'P-256' = 'Ed25519', fields: object = {}) => {
    const { publicKey, privateKey } = createSigner(type)
    const tab = await app.signedIn()
    const { id: keyId } = await createApiKey(tab, { publicKey: toPem(publicKey), ...fields })
    return { tab, keyId, privateKey }
  }
  type Signed = ReturnType<typeof signRequest>

  test.each(['Ed25519', 'P-256'] as const)('is accepted once, by %s', async (type) => {
    const request = signRequest({ ...(await setUp(type)), body: '{"side":"buy"}' })
    expect(await ask({ request })).toMatchObject({ valid: true, key: { method: 'signature' } })
    expect(await codeOf({ request })).toBe('REPLAYED')
  })

  test('is accepted once of 20 that come at the same time', async () => {
    const request = signRequest(await setUp())
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf({ request })))
    expect(codes.toSorted()).toEqual([...Array<string>(19).fill('REPLAYED'), 'valid'])
  })

  test('is accepted without the body, whose digest the service compares itself', async () => {
    const { body: _, ...request } = signRequest({ ...(await setUp()), body: 'x' })
    expect(await codeOf({ request })).toBe('valid')
  })

  test.each<[string, (request: Signed) => unknown]>([
    ['another method', (request) => ({ ...request, method: 'GET' })],
    ['another path', (request) => ({ ...request, url: request.url.replace('orders', 'orderz') })],
    ['another query', (request) => ({ ...request, url: `${request.url}&size=9` })],
    ['another host', (request) => ({ ...request, url: request.url.replace('api.', 'apj.') })],
    ['another body', (request) => ({ ...request, body: Buffer.from('{"side":"buz"}').toString('base64') })],
    [
      'another body with its digest',
      (request) => {
        const other = signRequest({ ...anybody, body: '{"side":"buz"}' })
        return {
          ...request,
          body: other.body,
          headers: { ...request.headers, 'content-digest': other.headers['content-digest'] },
        }
      },
    ],
    ['no digest', ({ headers: { 'content-digest': _, ...headers }, ...request }) => ({ ...request, headers })],
    ['another key id', (request) => withInput(request, (input) => input.replace(/keyid="[^"]+"/, 'keyid="another"'))],
    ['another nonce', (request) => withInput(request, (input) => input.replace(/nonce="[^"]+"/, 'nonce="another-nonce"'))],
    [
      'a later end',
      (request) => withInput(request, (input) => input.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 1}`)),
    ],
    ['fewer covered parts', (request) => withInput(request, (input) => input.replace('"@target-uri" ', ''))],
    ['more covered parts', (request) => withInput(request, (input) => input.replace('"@method"', '"@method" "@authority"'))],
    ['a second signature', (request) => withInput(request, (input) => `${input}, sig2=${input.slice(5)}`)],
    [
      'a second signature that has no input',
      (request) => ({ ...request, headers: { ...request.headers, signature: `${request.headers.signature}, sig2=:AAAA:` } }),
    ],
    ['another signature', (request) => ({ ...request, headers: { ...request.headers, signature: 'sig1=:AAAA:' } })],
    ['an empty signature', (request) => ({ ...request, headers: { ...request.headers, signature: 'sig1=::' } })],
    [
      'two signatures of one name',
      (request) => ({
        ...request,
        headers: {
          ...request.headers,
          signature: `sig1=:AA==:, ${request.headers.signature}`,
          'signature-input': `${request.headers['signature-input']}, ${request.headers['signature-input']}`,
        },
      }),
    ],
    [
      'a second digest',
      (request) => ({
        ...request,
        headers: { ...request.headers, 'content-digest': `${request.headers['content-digest']}, sha-512=:AA==:` },
      }),
    ],
    [
      'another label',
      (request) => ({
        ...request,
        headers: { ...request.headers, signature: request.headers.signature.replace('sig1', 'sig2') },
      }),
    ],
    ['no structured header', (request) => withInput(request, () => '((((')],
  ])('with %s is refused', async (title, change) => {
    const signer = await setUp()
    const request = change(signRequest({ ...signer, body: '{"side":"buy"}' }))
    const code = title === 'another key id' ? 'INVALID_API_KEY' : 'SIGNATURE_INVALID'
    expect(await codeOf({ request: request as object })).toBe(code)
    expect(await app.db.signatureNonce.count({ where: { keyId: signer.keyId } })).toBe(0)
  })

  test('that had no body is refused with one, and accepted with an empty one', async () => {
    const request = signRequest(await setUp())
    expect(await codeOf({ request: { ...request, body: Buffer.from('{"side":"buy"}').toString('base64') } })).toBe(
      'SIGNATURE_INVALID',
    )
    expect(await codeOf({ request: { ...request, body: '' } })).toBe('valid')
  })

  test.each([
    ['the secret of another', 'Ed25519', undefined],
    ['another algorithm', 'P-256', undefined],
    ['the name of another algorithm', 'Ed25519', 'ecdsa-p256-sha256'],
  ] as const)('by %s is refused', async (_, type, alg) => {
    const { keyId, privateKey } = await setUp()
    const signer = alg === undefined ? createSigner(type).privateKey : privateKey
    expect(await codeOf({ request: signRequest({ keyId, privateKey: signer, ...(alg && { alg }) }) })).toBe('SIGNATURE_INVALID')
  })

  test.each([
    [7, 'SIGNATURE_INVALID'],
    [8, 'valid'],
    [64, 'valid'],
    [65, 'SIGNATURE_INVALID'],
  ])('with a nonce of %i characters: %s', async (length, outcome) => {
    expect(await codeOf({ request: signRequest({ ...(await setUp()), nonce: 'n'.repeat(length) }) })).toBe(outcome)
  })

  test.each([
    [['@method']],
    [['@method', '@method']],
    [['@method', '@authority']],
    [['@method', '@target-uri', '@authority']],
    [['@method', '@target-uri', '@target-uri']],
  ])('over %j is refused, though its owner signed it', async (covered) => {
    const signer = await setUp()
    expect(await codeOf({ request: signRequest({ ...signer, covered }) })).toBe('SIGNATURE_INVALID')
  })

  test.each<[string, { created: number; expires?: number | null }, string]>([
    ['created now, for 5 seconds', { created: 0, expires: 5 }, 'valid'],
    ['for 60 seconds', { created: 0, expires: 60 }, 'valid'],
    ['for 61 seconds', { created: 0, expires: 61 }, 'SIGNATURE_INVALID'],
    ['for no time', { created: 0, expires: 0 }, 'SIGNATURE_INVALID'],
    ['in its last second', { created: -59, expires: 1 }, 'valid'],
    ['at its end', { created: -60, expires: 0 }, 'SIGNATURE_INVALID'],
    ['without an end, 4 seconds old', { created: -4, expires: null }, 'valid'],
    ['without an end, 5 seconds old', { created: -5, expires: null }, 'SIGNATURE_INVALID'],
    ['by a clock 5 seconds ahead', { created: 5, expires: 10 }, 'valid'],
    ['by a clock 6 seconds ahead', { created: 6, expires: 11 }, 'SIGNATURE_INVALID'],
    ['that ends before it begins', { created: 4, expires: 3 }, 'SIGNATURE_INVALID'],
  ])('%s', async (_, { created, expires }, code) => {
    const signer = await setUp()
    holdClock()
    const now = Math.floor(Date.now() / 1000)
    const request = signRequest({
      ...signer,
      created: now + created,
      expires: expires === undefined || expires === null ? null : now + expires,
    })
    expect(await codeOf({ request })).toBe(code)
  })

  test('is refused for a disabled key and from a foreign address, and then uses up no nonce', async () => {
    const signer = await setUp('Ed25519', { ipAllowlist: ['192.0.2.1'] })
    const request = signRequest(signer)
    expect(await codeOf({ request, ip: '192.0.2.2' })).toBe('IP_NOT_ALLOWED')
    expect(await codeOf({ request, ip: '192.0.2.1' })).toBe('valid')
    await signer.tab.post('/auth/api-key/update', { keyId: signer.keyId, enabled: false })
    expect(await codeOf({ request: signRequest(signer), ip: '192.0.2.1' })).toBe('KEY_DISABLED')
  })

  test('is the only way: the id of its key is refused as a bearer', async () => {
    const { keyId } = await setUp()
    expect(await codeOf({ key: keyId })).toBe('INVALID_API_KEY')
    const { id, key } = await createApiKey(await app.signedIn())
    const { privateKey } = createSigner()
    expect(await codeOf({ request: signRequest({ keyId: id, privateKey }) })).toBe('INVALID_API_KEY')
    expect(await codeOf({ key })).toBe('valid')
  })

  test('leaves a nonce that the sweep deletes after its end', async () => {
    holdClock()
    const signer = await setUp()
    await ask({ request: signRequest(signer) })
    const nonces = () => app.db.signatureNonce.count({ where: { keyId: signer.keyId } })
    const endedAgo = (seconds: number) =>
      app.db.signatureNonce.updateMany({ data: { expiresAt: new Date(Date.now() - seconds * 1000) } })
    // A process whose clock is late may still accept the signature.
    await endedAgo(policy.apiKeys.longestWindow - 1)
    await app.service.expirySweep.sweep()
    expect(await nonces()).toBe(1)
    await endedAgo(policy.apiKeys.longestWindow + 1)
    await app.service.expirySweep.sweep()
    expect(await nonces()).toBe(0)
  })

  const anybody = { keyId: 'anybody', privateKey: createSigner().privateKey }
  const withInput = (request: Signed, change: (input: string) => string) => ({
    ...request,
    headers: { ...request.headers, 'signature-input': change(request.headers['signature-input']) },
  })
})

describe('GET /auth/verify', () => {
  const verify = (headers: Record<string, string>, query = '', ip?: string) =>
    service.get(`/auth/verify${query}`, { headers, ...(ip !== undefined && { ip }) })

  test('describes the key to a gateway', async () => {
    const tab = await app.signedIn()
    const { id, key } = await createApiKey(tab, { permissions: { order: ['read', 'cancel'] } })
    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
      const answer = await verify(headers)
      expect(answer.status).toBe(200)
      expect(Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('x-auth-')))).toMatchObject({
        'x-auth-user': tab.userId,
        'x-auth-session': '',
        'x-auth-key': id,
        'x-auth-org': '',
        'x-auth-scopes': 'order:read order:cancel',
        'x-auth-acr': 'aal1',
        'x-auth-token': '',
      })
    }
  })

  test('leaves no secret in the log when it is sent as the name of a parameter', async () => {
    const { key } = await createApiKey(await app.signedIn())
    expect((await verify({}, `?${key}`)).status).toBe(403)
    expect((await verify({}, `?${key}=1&${key}=2`)).status).toBe(403)
    expect(JSON.stringify(app.logs)).not.toContain(key)
    expect(app.logs.map(({ reason }) => reason)).toContain('a parameter has an unusual name')
    expect((await verify({}, '?max_agee=1')).status).toBe(403)
    expect(app.logs.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('max_agee'))
  })

  test.each([
    ['?scope=order:read', 200, undefined],
    ['?scope=order:cancel', 403, 'INSUFFICIENT_SCOPE'],
    ['?acr=aal2', 401, 'INSUFFICIENT_USER_AUTHENTICATION'],
    ['?org=none', 403, 'ORGANIZATION_REQUIRED'],
    ['?role=member', 403, 'ROLE_REQUIRED'],
    ['?token=https://api.example.com', 403, 'INVALID_AUDIENCE'],
  ])('checks the requirements %s', async (query, status, code) => {
    const { key } = await createApiKey(await app.signedIn())
    expect(outcome(await verify({ 'x-api-key': key }, query))).toEqual([status, code])
  })

  test.each([
    ['unknown', async () => 'fp_user_nonsense', 401, 'INVALID_API_KEY', 'Bearer error="invalid_token"'],
    [
      'from elsewhere',
      async () => (await createApiKey(await app.signedIn(), { ipAllowlist: ['192.0.2.1'] })).key,
      403,
      'IP_NOT_ALLOWED',
      null,
    ],
  ])('refuses a key that is %s, also beside a good cookie', async (_, keyOf, status, code, challenge) => {
    const tab = await app.signedIn()
    const headers = { authorization: `Bearer ${await keyOf()}` }
    const refused = await tab.get('/auth/verify', { headers, ip: '192.0.2.9' })
    expect([...outcome(refused), refused.headers.get('www-authenticate')]).toEqual([status, code, challenge])
  })

  test('takes a signed request only from a gateway that names itself', async () => {
    const { publicKey, privateKey } = createSigner()
    const { id: keyId } = await createApiKey(await app.signedIn(), { publicKey: toPem(publicKey) })
    const passedOn = () => {
      const { method, url, headers } = signRequest({ keyId, privateKey })
      return { ...headers, 'x-original-method': method, 'x-original-url': url }
    }
    const named = { 'x-service-key': serviceKey }
    expect(outcome(await verify(passedOn()))).toEqual([401, 'SIGNATURE_INVALID'])
    const once = { ...passedOn(), ...named }
    expect((await verify(once)).headers.get('x-auth-amr')).toBe('pop')
    expect(outcome(await verify(once))).toEqual([401, 'REPLAYED'])
    const { method, headers } = signRequest({ keyId, privateKey, method: 'GET', url: 'https://api.example.com/orders' })
    const forwarded = {
      'x-forwarded-method': method,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-uri': '/orders',
    }
    expect((await verify({ ...headers, ...forwarded, ...named })).status).toBe(200)
    const { headers: unused } = signRequest({ keyId, privateKey, method: 'GET', url: 'https://api.example.com/orders' })
    const other = { 'x-original-method': 'DELETE', 'x-original-url': 'https://api.example.com/withdrawals' }
    expect(outcome(await verify({ ...unused, ...forwarded, ...other, ...named }))).toEqual([401, 'SIGNATURE_INVALID'])
    const elsewhere = { ...forwarded, 'x-forwarded-method': 'DELETE', 'x-forwarded-uri': '/withdrawals' }
    for (const added of [passedOn(), { ...headers, 'x-original-url': 'https://api.example.com/orders' }])
      expect(outcome(await verify({ ...added, ...elsewhere, ...named }))).toEqual([401, 'SIGNATURE_INVALID'])
    expect(outcome(await verify({ ...passedOn(), 'x-original-method': 'DELETE', ...named }))).toEqual([401, 'SIGNATURE_INVALID'])
  })
})

describe('a key', () => {
  test('gives no access token, which would outlive it', async () => {
    const { id, key } = await createApiKey(await app.signedIn())
    const path = `/auth/verify?token=${encodeURIComponent(app.baseUrl)}`
    const answer = await service.get(path, { headers: { authorization: `Bearer ${key}` } })
    expect([answer.code, answer.headers.get('x-auth-token')]).toEqual(['INVALID_AUDIENCE', null])
    await app.service.deps.keyUses.flush()
    expect((await app.db.apiKey.findUniqueOrThrow({ where: { id } })).uses).toBe(0n)
  })

  test.each([{ permission: { withdrawal: ['create'] } }, { scopes: ['withdrawal:create'] }])(
    'is not answered for with the unknown requirement %j, which would pass every key',
    async (requirement) => {
      const { key } = await createApiKey(await app.signedIn())
      const headers = { authorization: `Bearer ${serviceKey}` }
      expect(outcome(await service.post('/auth/api-key/verify', { key, ...requirement }, { headers }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
    },
  )

  test('opens no route of the account, however it is sent', async () => {
    const { key } = await createApiKey(await app.signedIn())
    const session = `local-floorpass_session=${key}`
    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }, { cookie: session }]) {
      expect((await service.get('/auth/get-session', { headers })).body).toBeNull()
      for (const path of ['/auth/list-sessions', '/auth/api-key/list', '/auth/token', '/auth/export-data'])
        expect(outcome(await service.get(path, { headers }))).toEqual([401, 'UNAUTHORIZED'])
      expect(outcome(await app.browser().post('/auth/api-key/create', {}, { headers }))).toEqual([401, 'UNAUTHORIZED'])
      expect(
        (await service.post('/auth/introspect', { token: key }, { headers: { authorization: `Bearer ${serviceKey}` } })).body,
      ).toEqual({
        active: false,
      })
    }
  })
})

test('a key that is called too often learns when it works again, and other keys go on', async () => {
  const limited = await createTestApp({ SERVICE_KEYS: serviceKey, RATE_LIMIT: 'on' })
  const caller = limited.browser({ origin: null })
  const tab = await limited.signedIn()
  const [first, second] = [await createApiKey(tab), await createApiKey(tab)]
  const { points } = limits['api-key:key']
  await limited.service.deps.limiter.consume('api-key:key', first.id, points - 1)
  expect(await askAboutKey(caller, { key: first.key })).toMatchObject({ valid: true })
  const refused = await askAboutKey(caller, { key: first.key })
  expect(refused).toMatchObject({ valid: false, error: { code: 'RATE_LIMITED' } })
  expect(refused.error?.details?.tryAgainIn).toBeGreaterThan(0)
  expect(await askAboutKey(caller, { key: second.key })).toMatchObject({ valid: true })
  const answer = await caller.get('/auth/verify', { headers: { 'x-api-key': first.key } })
  expect(outcome(answer)).toEqual([403, 'RATE_LIMITED'])
  const { publicKey, privateKey } = createSigner()
  const { id: keyId } = await createApiKey(tab, { publicKey: toPem(publicKey) })
  await limited.service.deps.limiter.consume('api-key:key', keyId, points)
  const request = signRequest({ keyId, privateKey })
  expect(await askAboutKey(caller, { request })).toMatchObject({ error: { code: 'RATE_LIMITED' } })
  // A signature is not at fault when its gateway calls too often.
  const { headers, method, url } = signRequest({ keyId, privateKey })
  const passedOn = { ...headers, 'x-original-method': method, 'x-original-url': url, 'x-service-key': serviceKey }
  const consumed = limited.service.deps.limiter.consume(
    'service-call:service',
    'SERVICE_KEYS',
    limits['service-call:service'].points,
  )
  await expect(consumed).rejects.toMatchObject({ key: 'TOO_MANY_REQUESTS' })
  expect(outcome(await caller.get('/auth/verify', { headers: passedOn }))).toEqual([503, 'SERVICE_BUSY'])
  // A refused call costs no row.
  expect(await limited.db.signatureNonce.count()).toBe(0)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})
