import { limits, policy } from '@floorpass/api'
import { createOperator, createService } from '@floorpass/api/administration'
import { createApiKey } from '@floorpass/testing/api-keys'
import { scan, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, memberIdOf } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ TOKEN_AUDIENCES: 'https://api.example.com,urn:risk' })

const facts = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-auth-')))

const openDesk = async () => {
  const [owner, member] = [await app.signedIn(), await app.signedIn()]
  const { id } = await assemble(app, [
    [owner, 'owner'],
    [member, 'member'],
  ])
  await member.post('/auth/organization/set-active', { organizationId: id })
  return { owner, member, id }
}

test('a signed-in caller is described in headers, and the body is empty', async () => {
  const { member, id } = await openDesk()
  const { status, headers, body } = await member.get('/auth/verify')
  const session = await app.db.session.findFirstOrThrow({ where: { userId: member.userId } })
  expect([status, body, headers.get('cache-control')]).toEqual([200, '', 'no-store'])
  expect(facts(headers)).toEqual({
    'x-auth-user': member.userId,
    'x-auth-session': session.handle,
    'x-auth-key': '',
    'x-auth-org': id,
    'x-auth-role': 'member',
    'x-auth-scopes': 'account:read order:read order:cancel withdrawal:read withdrawal:create organization:read',
    'x-auth-acr': 'aal1',
    'x-auth-amr': 'pwd',
    'x-auth-time': String(Math.floor(session.createdAt.getTime() / 1000)),
    'x-auth-hold': '',
    'x-auth-token': '',
  })
})

test('names the organization of an API key, with the role of its creator', async () => {
  const owner = await app.signedIn()
  const { id } = await assemble(app, [[owner, 'owner']])
  const verify = async (fields: Record<string, unknown>) => {
    const { key } = await createApiKey(owner, fields)
    const { 'x-auth-org': org, 'x-auth-role': role } = facts(
      (await app.browser().get('/auth/verify', { headers: { 'x-api-key': String(key) } })).headers,
    )
    return [org, role]
  }
  expect(await verify({ organizationId: id })).toEqual([id, 'owner'])
  expect(await verify({})).toEqual(['', ''])
})

test('sends every header, empty ones too, so that a proxy overwrites what the caller sent', async () => {
  const tab = await app.signedIn()
  const headers = facts((await tab.get('/auth/verify', { headers: { 'x-auth-org': 'forged', 'x-auth-role': 'owner' } })).headers)
  expect([headers['x-auth-org'], headers['x-auth-role'], headers['x-auth-hold']]).toEqual(['', '', ''])
})

test.each([
  ['without a cookie', {}, 'Bearer'],
  ['with a forged cookie', { cookie: `local-floorpass_session=${'A'.repeat(43)}` }, 'Bearer'],
  ['with a forged token', { authorization: 'Bearer forged' }, 'Bearer error="invalid_token"'],
])('a caller %s gets 401 and no facts', async (_, headers, challenge) => {
  const answer = await app.browser().get('/auth/verify', { headers })
  expect([...outcome(answer), answer.headers.get('www-authenticate')]).toEqual([401, 'UNAUTHORIZED', challenge])
  expect(facts(answer.headers)).toEqual({})
})

test('refuses a forged bearer token even with a good cookie', async () => {
  const tab = await app.signedIn()
  expect(outcome(await tab.get('/auth/verify', { headers: { authorization: 'Bearer forged' } }))).toEqual([401, 'UNAUTHORIZED'])
})

test.each([
  'arc=aal2',
  'acr=aal3',
  'acr=aal1&acr=aal2',
  'max_age=-1',
  'max_age=5m',
  'role=boss',
  'scope=',
  'scope=order:read"x',
  'org=',
  'redirect=yes',
])('a mistake of the gateway is refused, never ignored: ?%s', async (query) => {
  const tab = await app.signedIn()
  expect(outcome(await tab.get(`/auth/verify?${query}`))).toEqual([403, 'VALIDATION_ERROR'])
})

test('the answer names the mistake of the gateway', async () => {
  const { body } = await (await app.signedIn()).get('/auth/verify?max_age=5m')
  expect(body).toEqual({ code: 'VALIDATION_ERROR', message: '[query.max_age] must be a number of seconds' })
})

describe('organizations and roles', () => {
  test.each([
    ['member', 'role=member', 200],
    ['member', 'role=admin', 403],
    ['member', 'role=owner', 403],
    ['owner', 'role=admin', 200],
  ] as const)('a %s asked for ?%s gets %i', async (who, query, status) => {
    const desk = await openDesk()
    const answer = await desk[who].get(`/auth/verify?org=${desk.id}&${query}`)
    expect([answer.status, answer.code]).toEqual([status, status === 200 ? undefined : 'ROLE_REQUIRED'])
  })

  test('a person who is no member of the required organization is refused', async () => {
    const { id } = await openDesk()
    const answer = await (await app.signedIn()).get(`/auth/verify?org=${id}`)
    expect(outcome(answer)).toEqual([403, 'ORGANIZATION_REQUIRED'])
  })

  test('a membership that the person has not accepted does not count', async () => {
    const { member, id } = await openDesk()
    await app.db.member.updateMany({ where: { userId: member.userId }, data: { acceptedAt: null } })
    expect(outcome(await member.get(`/auth/verify?org=${id}`))).toEqual([403, 'ORGANIZATION_REQUIRED'])
  })

  test('a role is required in the active organization when no other is named', async () => {
    const { owner, member } = await openDesk()
    expect(outcome(await member.get('/auth/verify?role=member'))).toEqual([200, undefined])
    expect(outcome(await owner.get('/auth/verify?role=member'))).toEqual([403, 'ROLE_REQUIRED'])
  })

  test("does not take an object's key for an organization", async () => {
    expect(outcome(await (await app.signedIn()).get('/auth/verify?org=constructor'))).toEqual([403, 'ORGANIZATION_REQUIRED'])
  })

  test('a cached role ends with the change: promoted, removed, deleted organization', async () => {
    const { owner, member, id } = await openDesk()
    await owner.post('/auth/organization/set-active', { organizationId: id })
    const role = async () => (await member.get('/auth/verify')).headers.get('x-auth-role')
    expect(await role()).toBe('member')
    const memberId = await memberIdOf(app, id, member)
    await owner.post('/auth/organization/update-member-role', { memberId, role: 'admin' })
    expect(await role()).toBe('admin')
    await owner.post('/auth/organization/remove-member', { memberIdOrEmail: memberId })
    expect(await role()).toBe('')
    await owner.post('/auth/organization/delete', { organizationId: id })
    expect((await owner.get('/auth/verify')).headers.get('x-auth-org')).toBe('')
  })
})

describe('scopes', () => {
  test('a person who may not trade cannot place orders', async () => {
    const tab = await app.signedIn()
    const refused = await tab.get('/auth/verify?scope=order:read,order:place')
    expect([...outcome(refused), refused.headers.get('www-authenticate')]).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      'Bearer error="insufficient_scope", scope="order:read order:place"',
    ])
    await app.db.user.update({ where: { id: tab.userId }, data: { tradingEnabled: true } })
    expect((await tab.get('/auth/verify?scope=order:read%20order:place')).status).toBe(200)
  })

  test('no caller has an unknown scope', async () => {
    expect(outcome(await (await app.signedIn()).get('/auth/verify?scope=admin'))).toEqual([403, 'INSUFFICIENT_SCOPE'])
  })
})

describe('strength and age of the sign-in (RFC 9470)', () => {
  test('a password alone does not meet acr=aal2, and a code does', async () => {
    const person = await app.verified()
    const tab = app.browser()
    const { email, password } = person
    await tab.post('/auth/sign-in/email', { email, password })
    const weak = await tab.get('/auth/verify?acr=aal2&max_age=300')
    expect([...outcome(weak), weak.headers.get('www-authenticate')]).toEqual([
      401,
      'INSUFFICIENT_USER_AUTHENTICATION',
      'Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="300"',
    ])
    const { authenticator } = await switchOnTwoFactor(tab, password)
    await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })
    const { status, headers } = await tab.get('/auth/verify?acr=aal2&max_age=300')
    expect([status, headers.get('x-auth-acr'), headers.get('x-auth-amr')]).toEqual([200, 'aal2', 'pwd otp mfa'])
  })

  test('a sign-in with a code is aal2, and a password entered later does not make the code newer', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    const other = app.browser()
    const { email, password } = tab.person
    await other.post('/auth/sign-in/email', { email, password })
    clock.advance(60)
    await other.post('/auth/two-factor/verify', { code: authenticator.code() })
    const signedInAt = Math.floor(Date.now() / 1000)
    clock.advance(300)
    expect((await other.get('/auth/verify?acr=aal2&max_age=300')).status).toBe(200)
    clock.advance(1)
    expect((await other.post('/auth/reauthenticate', { password })).status).toBe(200)
    const refused = await other.get('/auth/verify?max_age=300')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('acr_values="aal2"')])
    expect((await other.get('/auth/verify')).headers.get('x-auth-time')).toBe(String(signedInAt))
    await other.post('/auth/reauthenticate', { code: scan(`otpauth://x?secret=${authenticator.secret}`).code(1) })
    expect((await other.get('/auth/verify?max_age=300')).status).toBe(200)
  })

  test('a reauthentication makes a password session younger', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(61)
    expect((await tab.get('/auth/verify?max_age=60')).code).toBe('INSUFFICIENT_USER_AUTHENTICATION')
    await tab.post('/auth/reauthenticate', { password: tab.person.password })
    expect((await tab.get('/auth/verify?max_age=60')).status).toBe(200)
  })

  test('a session without its second factor falls to aal1', async () => {
    const tab = await app.signedIn()
    const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
    await tab.post('/auth/reauthenticate', { code: authenticator.code(1) })
    expect((await tab.get('/auth/verify')).headers.get('x-auth-acr')).toBe('aal2')
    expect((await tab.post('/auth/two-factor/disable', { password: tab.person.password })).status).toBe(200)
    expect((await tab.get('/auth/verify')).headers.get('x-auth-acr')).toBe('aal1')
  })
})

describe('the session', () => {
  test('is refused at once when it is revoked, expired or its owner suspended', async () => {
    for (const end of ['revoke', 'expire', 'suspend'] as const) {
      const tab = await app.signedIn()
      expect((await tab.get('/auth/verify')).status).toBe(200)
      const where = { userId: tab.userId }
      if (end === 'revoke') await app.db.session.deleteMany({ where })
      if (end === 'expire') await app.db.session.updateMany({ where, data: { expiresAt: new Date(Date.now() - 1) } })
      if (end === 'suspend') await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
      expect(outcome(await tab.get('/auth/verify')), end).toEqual([401, 'UNAUTHORIZED'])
    }
  })

  test('is not extended, since a gateway does not pass the new cookie on', async () => {
    const tab = await app.signedIn()
    const where = { userId: tab.userId }
    const old = new Date(Date.now() - 2 * 86_400_000)
    await app.db.session.updateMany({ where, data: { updatedAt: old } })
    for (let time = 0; time < 2; time += 1) {
      const { status, setCookies } = await tab.get('/auth/verify')
      expect([status, setCookies]).toEqual([200, []])
    }
    expect((await app.db.session.findFirstOrThrow({ where })).updatedAt).toEqual(old)
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(1)
  })
})

describe('pages', () => {
  test('redirect=1 leads to the sign-in page, which knows where the visitor was', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example.com', 'x-forwarded-uri': '/orders?id=1' }
    const { status, headers } = await app.browser().get('/auth/verify?redirect=1', { headers: forwarded })
    expect([status, headers.get('location')]).toEqual([
      302,
      `${app.baseUrl}/login?redirectTo=https%3A%2F%2Fapp.example.com%2Forders%3Fid%3D1`,
    ])
  })

  test('redirect=1 leads to the reauthentication page when more is required', async () => {
    const { status, headers } = await (await app.signedIn()).get('/auth/verify?redirect=1&acr=aal2&max_age=60')
    expect([status, headers.get('location')]).toEqual([302, `${app.baseUrl}/reauthenticate?acr=aal2&max_age=60&redirectTo=%2F`])
  })

  test('redirect=1 does not redirect a missing scope', async () => {
    expect(outcome(await (await app.signedIn()).get('/auth/verify?redirect=1&scope=admin'))).toEqual([403, 'INSUFFICIENT_SCOPE'])
  })
})

test('callers behind one gateway do not use up the limits of its address', async () => {
  const strict = await createTestApp({ RATE_LIMIT: 'on' })
  const { email, password } = await strict.verified()
  const tab = strict.browser()
  await tab.post('/auth/sign-in/email', { email, password })
  for (let count = 0; count < 1_000; count += 1) expect((await tab.get('/auth/verify')).status).toBe(200)
  expect((await strict.browser().post('/auth/sign-in/email', { email, password })).status).toBe(200)
})

test('without a database, memory answers for known callers', async () => {
  const own = await createTestApp()
  const tab = await own.signedIn()
  await tab.get('/auth/verify')
  await own.db.$executeRaw`ALTER TABLE sessions RENAME TO hidden_sessions`
  expect((await tab.get('/auth/verify')).headers.get('x-auth-user')).toBe(tab.userId)
  await own.db.$executeRaw`ALTER TABLE hidden_sessions RENAME TO sessions`
})

test('without a database, a caller who is not in memory gets 503', async () => {
  const own = await createTestApp()
  const tab = await own.signedIn()
  await own.loseDatabase()
  expect(outcome(await tab.get('/auth/verify'))).toEqual([503, 'SERVICE_UNAVAILABLE'])
})

test('an address with too many invalid cookies gets 503, never a false 401 for a good cookie', async () => {
  const own = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await own.signedIn()
  const { addressPerMinute, readsPerSecond } = policy.sessionMisses
  for (let count = 0; count < addressPerMinute + readsPerSecond + 5; count += 1)
    await own.browser().get('/auth/verify', { headers: { cookie: `local-floorpass_session=${count}` } })
  tab.cookies.delete('floorpass_known_device')
  expect(outcome(await tab.get('/auth/verify'))).toEqual([503, 'SERVICE_BUSY'])
})

test('a gateway that names itself is not limited by the invalid cookies of its address', async () => {
  const serviceKey = 'Zk3p9vQ1xR7mW5tY2uB8nC4jL6hG0dSa'
  const own = await createTestApp({ RATE_LIMIT: 'on', SERVICE_KEYS: serviceKey })
  const tab = await own.signedIn()
  const { addressPerMinute, readsPerSecond } = policy.sessionMisses
  const headers = { 'x-service-key': serviceKey }
  for (let count = 0; count < addressPerMinute + readsPerSecond + 5; count += 1)
    await own.browser().get('/auth/verify', { headers: { ...headers, cookie: `local-floorpass_session=${count}` } })
  tab.cookies.delete('floorpass_known_device')
  expect((await tab.get('/auth/verify', { headers })).status).toBe(200)
})

test('a session whose last sign-in lies in the future is too old: the clock was set back', async () => {
  const tab = await app.signedIn()
  const createdAt = new Date(Date.now() + 2 * 60_000)
  await app.db.session.updateMany({ where: { userId: tab.userId }, data: { createdAt } })
  expect((await tab.get('/auth/verify?max_age=600')).code).toBe('INSUFFICIENT_USER_AUTHENTICATION')
})

test('a reauthentication replaces one that lies in the future', async () => {
  const tab = await app.signedIn()
  const authenticatedAt = new Date(Date.now() + 2 * 60_000)
  await app.db.session.updateMany({ where: { userId: tab.userId }, data: { authenticatedAt } })
  expect((await tab.get('/auth/verify?max_age=600')).code).toBe('INSUFFICIENT_USER_AUTHENTICATION')
  await tab.post('/auth/reauthenticate', { password: tab.person.password })
  expect((await tab.get('/auth/verify?max_age=600')).status).toBe(200)
})

describe('a key that is not that of a gateway', () => {
  test('changes nothing for the caller, and is logged once a minute without the key', async () => {
    const own = await createTestApp()
    const tab = await own.signedIn()
    const headers = { 'x-service-key': 'fps_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }
    for (let time = 0; time < 3; time += 1) expect((await tab.get('/auth/verify', { headers })).status).toBe(200)
    expect(own.logs.filter(({ msg }) => String(msg).startsWith('gateway key refused'))).toHaveLength(1)
    expect(JSON.stringify(own.logs)).not.toContain('fps_AAAA')
  })

  test('changes nothing either when too many keys were tried from its address', async () => {
    const own = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await own.signedIn()
    for (let count = 0; count <= limits['service:ip'].points; count += 1)
      await own.browser().get('/auth/verify', { headers: { 'x-service-key': `fps_${count}`, cookie: 'a=b' } })
    expect((await tab.get('/auth/verify', { headers: { 'x-service-key': 'fps_x' } })).status).toBe(200)
  })

  test('does not name a gateway when the service lacks the scope', async () => {
    const own = await createTestApp()
    const operator = createOperator(own.service.deps, 'grace')
    const service = await createService(operator, 'other', ['events:read'])
    const tab = await own.signedIn()
    const answer = await tab.get('/auth/verify', { headers: { 'x-service-key': service?.secret ?? '' } })
    expect([answer.status, own.logs.some(({ msg }) => String(msg).startsWith('gateway key refused'))]).toEqual([200, true])
  })
})

test("a gateway's own mistake is logged once a minute with its reason", async () => {
  const own = await createTestApp()
  for (let time = 0; time < 3; time += 1) await own.browser().get('/auth/verify?arc=aal2')
  const lines = own.logs.filter(({ msg }) => String(msg).startsWith('gateway request invalid'))
  expect(lines).toMatchObject([{ level: 40, reason: expect.stringContaining('arc') }])
})
