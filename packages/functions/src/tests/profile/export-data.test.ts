import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const soon = () => new Date(Date.now() + 1e6)

/** A user with rows in every table, including secrets. */
async function createUserWithEverything() {
  const tab = await app.registered()
  const { userId, person } = tab
  const canary = (name: string) => `canary-${name}-${userId}`
  await app.db.account.create({
    data: {
      userId,
      providerId: 'google',
      accountId: `google-${userId}`,
      scopes: ['email'],
      accessTokenSealed: canary('access'),
      refreshTokenSealed: canary('refresh'),
    },
  })
  await app.db.organization.create({
    data: { name: `Org of ${userId}`, slug: userId, members: { create: [{ userId, role: 'owner', slot: 1 }] } },
  })
  const { id: organizationId } = await app.db.organization.findUniqueOrThrow({ where: { slug: userId } })
  await app.db.invitation.create({
    data: { organizationId, email: person.email, role: 'member', secretHash: canary('invitation'), expiresAt: soon() },
  })
  await app.db.trustedDevice.create({ data: { userId, secretHash: canary('device'), expiresAt: soon() } })
  await app.db.passkey.create({
    data: {
      userId,
      name: 'Phone',
      credentialId: `passkey of ${userId}`,
      publicKey: new Uint8Array(1),
      isSyncable: false,
      backedUp: false,
      aaguid: '',
    },
  })
  const transaction = { authorization_details: [{ type: 'order', payee: `payee of ${userId}` }], nonce: canary('nonce') }
  await app.db.confirmation.create({
    data: {
      userId,
      sessionHandle: 'a session',
      type: 'order',
      canonical: JSON.stringify(transaction),
      audience: 'https://api.example.com',
      createdAt: new Date(),
      expiresAt: soon(),
    },
  })
  await app.db.twoFactor.create({ data: { userId, secretSealed: canary('totp'), confirmedAt: new Date() } })
  await app.db.backupCode.create({ data: { userId, codeHash: canary('backup') } })
  await app.db.allowList.create({ data: { userId, enabledAt: new Date() } })
  await app.db.allowListEntry.create({
    data: { userId, kind: 'iban', value: `account of ${userId}`, createdAt: new Date(), usableFrom: soon() },
  })
  await app.browser().post('/auth/forget-password', { email: person.email })
  await app.drainMail()
  return { ...tab, organizationId, resetToken: app.outbox.lastTo(person.email).token }
}

describe('export-data', () => {
  test('T185: contains all data of the caller', async () => {
    const { get, userId, person, organizationId } = await createUserWithEverything()
    const answer = await get('/auth/export-data')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const data = answer.body as Record<string, unknown[]>
    expect(Object.keys(data).sort()).toEqual([
      'accounts',
      'activity',
      'allowList',
      'apiKeys',
      'confirmations',
      'exportedAt',
      'invitations',
      'links',
      'organizations',
      'passkeys',
      'picture',
      'protection',
      'sessions',
      'trustedDevices',
      'twoFactor',
      'user',
    ])
    expect(data).toMatchObject({
      user: { id: userId, name: person.name, email: person.email, locale: 'en', riskLevel: 'conservative' },
      accounts: [
        { providerId: 'google', accountId: `google-${userId}`, scopes: ['email'], hasPassword: false },
        { providerId: 'credential', hasPassword: true },
      ],
      sessions: [{ userId, ipAddress: '127.0.0.1' }],
      organizations: [{ id: organizationId, slug: userId, role: 'owner' }],
      invitations: [{ email: person.email, role: 'member' }],
      passkeys: [{ name: 'Phone', credentialId: `passkey of ${userId}` }],
      confirmations: [{ type: 'order', sessionId: 'a session', authorization_details: [{ payee: `payee of ${userId}` }] }],
      trustedDevices: [{ id: expect.any(String) }],
      allowList: { enabledAt: expect.any(String), endsAt: null, entries: [{ kind: 'iban', value: `account of ${userId}` }] },
      links: expect.arrayContaining([expect.objectContaining({ purpose: 'reset-password', email: person.email, usedAt: null })]),
      twoFactor: { backupCodesLeft: 1, since: expect.any(String) },
    })
    const actions = data.activity?.map((event) => (event as { action: string }).action)
    expect(actions).toEqual(expect.arrayContaining(['sign-up', 'verify-email', 'sign-in', 'request-password-reset']))
    expect(await app.db.auditEvent.count({ where: { userId, action: 'export-data' } })).toBe(1)
  })

  test('T185: contains no secret: no hash, no sealed text, no token, no cookie', async () => {
    const { get, userId, cookies, resetToken, person } = await createUserWithEverything()
    const text = JSON.stringify((await get('/auth/export-data')).body)
    const rows = await Promise.all([
      app.db.account.findMany({ where: { userId } }),
      app.db.session.findMany({ where: { userId } }),
      app.db.verification.findMany({ where: { userId } }),
    ])
    const [accounts, sessions, verifications] = rows
    const secrets = [
      'canary-',
      '$argon2id',
      person.password,
      resetToken,
      cookies.get('local-floorpass_session'),
      ...accounts.map(({ passwordHash }) => passwordHash),
      ...sessions.map(({ id }) => id),
      ...verifications.flatMap(({ id, secretHash, payloadSealed }) => [id, secretHash, payloadSealed]),
    ].filter((secret) => secret != null)
    expect(secrets.length).toBeGreaterThan(8)
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/hash|sealed|secret/i)
  })

  test('T185: contains no data of another user, whatever the query asks for', async () => {
    const [mine, theirs] = [await createUserWithEverything(), await createUserWithEverything()]
    await app.db.member.create({ data: { organizationId: mine.organizationId, userId: theirs.userId, role: 'member', slot: 2 } })
    const { email } = theirs.person
    const query = new URLSearchParams({ userId: theirs.userId, id: theirs.userId, email })
    const where = { userId: theirs.userId }
    const rows = await Promise.all([
      app.db.account.findMany({ where }),
      app.db.passkey.findMany({ where }),
      app.db.trustedDevice.findMany({ where }),
      app.db.allowListEntry.findMany({ where }),
      app.db.confirmation.findMany({ where }),
      app.db.auditEvent.findMany({ where }),
    ])
    for (const list of rows) expect(list.length).toBeGreaterThan(0)
    const ids = rows.flat().map(({ id }) => id)
    const { body } = await mine.get(`/auth/export-data?${query}`)
    const text = JSON.stringify(body)
    for (const trace of [theirs.userId, email, theirs.organizationId, ...ids]) expect(text).not.toContain(trace)
    expect(body).toMatchObject({ twoFactor: { backupCodesLeft: 1 } })
  })

  test('T185: omits the emails of people whom the user invited', async () => {
    const { get, userId, organizationId, person } = await createUserWithEverything()
    const invitation = { organizationId, role: 'member', expiresAt: soon(), inviterId: userId }
    await app.db.invitation.create({ data: { ...invitation, email: 'bob@example.test', secretHash: `bob-${userId}` } })
    const { body } = await get('/auth/export-data')
    expect(JSON.stringify(body)).not.toContain('bob@')
    const { invitations } = body as { invitations: { email: string | null; sent: boolean }[] }
    expect(invitations.map(({ email, sent }) => [email, sent])).toEqual([
      [null, true],
      [person.email, false],
    ])
  })

  test('T47, T185: needs a sign-in or reauthentication within the last 15 minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    expect((await tab.get('/auth/export-data')).status).toBe(200)
    clock.advance(1)
    const answer = await tab.get('/auth/export-data')
    expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  test('is limited to five times in ten minutes, even for simultaneous calls', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 12 }, () => tab.get('/auth/export-data')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7)
  })
})
