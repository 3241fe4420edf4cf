import { policy } from '@floorpass/api'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey, createRegistration } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ TRUSTED_ORIGINS: 'https://trade.example.com' })
const iCloudKeychain = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd'
const register = '/auth/passkey/verify-registration'
type Options = {
  challenge: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials: { id: string }[]
  rp: { id: string }
  authenticatorSelection: object
}
const getOptions = async (tab: Awaited<ReturnType<typeof app.signedIn>>) =>
  (await tab.get('/auth/passkey/generate-register-options')).body as Options
const stale = async (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 16 * 60_000) } })

describe('adding a passkey', () => {
  test('stores it, names it by its authenticator, records it and mails the owner', async () => {
    const tab = await app.signedIn()
    const answer = await addPasskey(tab, createSoftwareAuthenticator({ aaguid: iCloudKeychain, isSyncable: true }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ deviceType: 'multiDevice', backedUp: true, transports: 'internal,hybrid', counter: 0 })
    expect(answer.body).toMatchObject({ authenticator: (answer.body as { name: string }).name, aaguid: iCloudKeychain })
    expect((await tab.get('/auth/passkey/list-user-passkeys')).body).toEqual([answer.body])
    const events = await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: 'add-passkey' } })
    expect(events.map(({ succeeded }) => succeeded)).toEqual([true])
    await app.drainMail()
    expect(app.outbox.lastTo(tab.person.email).subject).toContain('passkey')
  })

  test('keeps one random handle for the user and excludes the passkeys that exist', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    const first = await getOptions(tab)
    await addPasskey(tab, authenticator)
    const second = await getOptions(tab)
    expect([second.user.id, second.excludeCredentials.map(({ id }) => id), second.rp.id]).toEqual([
      first.user.id,
      authenticator.credentials.map(({ id }) => id),
      'localhost',
    ])
    expect(Buffer.from(first.user.id, 'base64url')).toHaveLength(32)
    expect(first.user.id).not.toContain(tab.userId)
    await expect(createRegistration(tab, authenticator)).rejects.toThrow('already registered')
  })

  test('asks for a passkey that the authenticator lists, and that verifies its user', async () => {
    const { authenticatorSelection } = await getOptions(await app.signedIn())
    expect(authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' })
  })

  test('refuses text that is not base64url, at its start, in its middle or at its end', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator())
    for (const id of ['=AAAA', 'AA+AA', 'AAAA=', ''])
      expect([id, (await tab.post(register, { response: { ...response, id } })).code]).toEqual([id, 'VALIDATION_ERROR'])
    expect((await tab.post(register, { response })).status).toBe(200)
  })

  test('is listed under the email in the authenticator, or under the name that the caller gives', async () => {
    const tab = await app.signedIn()
    const { email } = tab.person
    expect((await getOptions(tab)).user).toMatchObject({ name: email, displayName: email })
    const named = (await tab.get('/auth/passkey/generate-register-options?name=Desk+phone')).body as Options
    expect(named.user).toMatchObject({ name: 'Desk phone', displayName: email })
  })

  test('takes a passkey that was created on a trusted origin', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator(), { origin: 'https://trade.example.com' })
    expect((await tab.post(register, { response })).status).toBe(200)
    expect((await app.browser().get('/.well-known/webauthn')).body).toEqual({
      origins: ['http://localhost:3000', 'https://trade.example.com'],
    })
  })

  test.each([
    ['on another origin', { origin: 'https://evil.example.com' }],
    ['for another relying party', { rpId: 'example.com' }],
    ['without user verification', { userVerified: false }],
    ['by the other ceremony', { type: 'webauthn.get' }],
    ['in a frame of another site', { crossOrigin: true }],
  ])('refuses one that was created %s, and uses up its challenge', async (_, deviation) => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    const options = await getOptions(tab)
    const answer = await tab.post(register, { response: authenticator.register(options, deviation) })
    expect([answer.status, answer.code]).toEqual([400, 'FAILED_TO_VERIFY_REGISTRATION'])
    expect((await tab.post(register, { response: authenticator.register(options) })).code).toBe('CHALLENGE_NOT_FOUND')
    expect(await app.db.passkey.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('refuses a challenge of another browser, of the other ceremony, of another user, an expired one and a second use', async () => {
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    const response = await createRegistration(tab, authenticator)
    const passkeyCookie = tab.cookies.get('floorpass_passkey') ?? ''
    tab.cookies.set('floorpass_passkey', 'another browser')
    expect((await tab.post(register, { response })).code).toBe('CHALLENGE_NOT_FOUND')
    tab.cookies.set('floorpass_passkey', passkeyCookie)
    expect((await tab.post(register, { response })).status).toBe(200)
    expect((await tab.post(register, { response })).code).toBe('CHALLENGE_NOT_FOUND')

    const { challenge } = (await tab.get('/auth/passkey/generate-authenticate-options')).body as { challenge: string }
    const fromAuthentication = createSoftwareAuthenticator().register({ ...(await getOptions(tab)), challenge })
    expect((await tab.post(register, { response: fromAuthentication })).code).toBe('CHALLENGE_NOT_FOUND')

    const foreign = await app.signedIn()
    foreign.cookies.set('floorpass_passkey', passkeyCookie)
    const stolen = await createRegistration(tab, createSoftwareAuthenticator())
    const refused = await foreign.post(register, { response: stolen })
    expect([refused.status, refused.code]).toEqual([401, 'YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY'])

    const late = await createRegistration(tab, createSoftwareAuthenticator())
    await app.db.verification.updateMany({ where: { userId: tab.userId }, data: { expiresAt: new Date(Date.now() - 1) } })
    expect((await tab.post(register, { response: late })).code).toBe('CHALLENGE_NOT_FOUND')
  })

  test.each(['android-key', 'android-safetynet', 'apple', 'fido-u2f', 'packed', 'tpm'])(
    'drops an attestation of the format %s unread: its certificates name addresses to fetch',
    async (attestation) => {
      const tab = await app.signedIn()
      const authenticator = createSoftwareAuthenticator()
      const response = authenticator.register(await getOptions(tab), { attestation })
      expect((await tab.post(register, { response })).status).toBe(200)
    },
  )

  test.each([0, 17, 1024, 2100, 20_000])(
    'refuses a credential id of %i bytes that is not the one that was sent',
    async (length) => {
      const tab = await app.signedIn()
      const deviation = { signedId: Buffer.alloc(length, 1) }
      const answer = await tab.post(register, {
        response: createSoftwareAuthenticator().register(await getOptions(tab), deviation),
      })
      expect([answer.status, answer.code]).toEqual([400, 'FAILED_TO_VERIFY_REGISTRATION'])
    },
  )

  test.each([
    ['names an algorithm only', 'a10326'],
    ['is of an unknown type', 'a30118630326200f'],
    ['is a point outside the curve', `a5010203262001215820${'11'.repeat(32)}225820${'22'.repeat(32)}`],
  ])('refuses a key that %s', async (_, hex) => {
    const tab = await app.signedIn()
    const deviation = { publicKey: Buffer.from(hex, 'hex') }
    const answer = await tab.post(register, {
      response: createSoftwareAuthenticator().register(await getOptions(tab), deviation),
    })
    expect([answer.status, answer.code]).toEqual([400, 'FAILED_TO_VERIFY_REGISTRATION'])
  })

  test('names a passkey without a known authenticator in the language of the browser', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator())
    const { body } = await tab.post(register, { response }, { headers: { 'accept-language': 'fr' } })
    expect(body).toMatchObject({ name: 'Clé d’accès 1' })
  })

  test('gives a challenge five minutes', async () => {
    const tab = await app.signedIn()
    const before = Date.now()
    await getOptions(tab)
    const after = Date.now()
    const [row] = await app.db.verification.findMany({ where: { userId: tab.userId, purpose: 'passkey-registration' } })
    const createdAt = Number(row?.expiresAt) - 300_000
    expect([before <= createdAt, createdAt <= after]).toEqual([true, true])
  })

  test('needs a recent reauthentication for both steps', async () => {
    const tab = await app.signedIn()
    const response = await createRegistration(tab, createSoftwareAuthenticator())
    await stale(tab.userId)
    for (const answer of [await tab.post(register, { response }), await tab.get('/auth/passkey/generate-register-options')])
      expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
    expect((await app.browser().get('/auth/passkey/generate-register-options')).status).toBe(401)
  })

  test('refuses a credential id that another user has', async () => {
    const [first, second] = [await app.signedIn(), await app.signedIn()]
    const authenticator = createSoftwareAuthenticator()
    const response = await createRegistration(first, authenticator)
    await first.post(register, { response })
    const other = await createRegistration(second, authenticator, undefined)
    await app.db.passkey.updateMany({ where: { userId: first.userId }, data: { credentialId: other.id } })
    expect((await second.post(register, { response: other })).code).toBe('PREVIOUSLY_REGISTERED')
    expect(await app.db.passkey.count({ where: { userId: second.userId } })).toBe(0)
  })

  test('refuses a passkey beyond the limit, also among concurrent requests', async () => {
    const tab = await app.signedIn()
    const { perUser } = policy.passkeys
    const credential = (at: number) => ({
      userId: tab.userId,
      name: 'old',
      credentialId: `${tab.userId}-${at}`,
      publicKey: new Uint8Array(1),
      isSyncable: false,
      backedUp: false,
      transports: [],
      aaguid: '',
    })
    await app.db.passkey.createMany({ data: Array.from({ length: perUser - 1 }, (_, at) => credential(at)) })
    const responses = [
      await createRegistration(tab, createSoftwareAuthenticator()),
      await createRegistration(tab, createSoftwareAuthenticator()),
      await createRegistration(tab, createSoftwareAuthenticator()),
    ]
    const answers = await Promise.all(responses.map((response) => tab.post(register, { response })))
    expect(answers.map(({ code }) => code ?? 'added').sort()).toEqual(['PASSKEY_LIMIT_REACHED', 'PASSKEY_LIMIT_REACHED', 'added'])
  })
})

describe('a passkey in the list', () => {
  test('is renamed and removed by its owner alone', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const { id } = (await addPasskey(owner, createSoftwareAuthenticator())).body as { id: string }
    for (const path of ['update-passkey', 'delete-passkey']) {
      const answer = await other.post(`/auth/passkey/${path}`, { id, name: 'Mine' })
      expect([answer.status, answer.code]).toEqual([404, 'PASSKEY_NOT_FOUND'])
    }
    expect((await owner.post('/auth/passkey/update-passkey', { id, name: 'Phone' })).body).toMatchObject({
      passkey: { id, name: 'Phone' },
    })
    expect((await owner.post('/auth/passkey/update-passkey', { id, name: '' })).code).toBe('VALIDATION_ERROR')
    expect((await owner.post('/auth/passkey/delete-passkey', { id })).body).toEqual({ status: true })
    expect((await owner.get('/auth/passkey/list-user-passkeys')).body).toEqual([])
    expect((await owner.get('/auth/get-session')).body).toMatchObject({ user: { id: owner.userId } })
    await app.drainMail()
    expect(app.outbox.lastTo(owner.person.email).subject).toContain('A passkey was removed')
  })

  test('is not removed without a recent reauthentication', async () => {
    const tab = await app.signedIn()
    const { id } = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
    await stale(tab.userId)
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).code).toBe('SESSION_NOT_FRESH')
    expect(await app.db.passkey.count({ where: { id } })).toBe(1)
  })

  test('stays while it is the only sign-in method, also after the password is unlinked', async () => {
    const tab = await app.signedIn()
    const { id } = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
    expect((await tab.post('/auth/unlink-account', { providerId: 'credential' })).status).toBe(200)
    const answer = await tab.post('/auth/passkey/delete-passkey', { id })
    expect([answer.status, answer.code]).toEqual([400, 'FAILED_TO_DELETE_LAST_PASSKEY'])
    const second = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
    const answers = await Promise.all([id, second.id].map((each) => tab.post('/auth/passkey/delete-passkey', { id: each })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

test('a passkey stays while its provider is not configured', async () => {
  const tab = await app.signedIn()
  const { id } = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
  await app.db.account.updateMany({ where: { userId: tab.userId }, data: { providerId: 'google', passwordHash: null } })
  expect((await tab.post('/auth/passkey/delete-passkey', { id })).code).toBe('FAILED_TO_DELETE_LAST_PASSKEY')
})

test('a passkey is no sign-in method where BASE_URL names an IP address', async () => {
  const plain = await createTestApp({ BASE_URL: 'http://127.0.0.1:3000' })
  const tab = await plain.signedIn()
  const credential = { credentialId: tab.userId, publicKey: new Uint8Array(1), isSyncable: false, backedUp: false, aaguid: '' }
  await plain.db.passkey.create({ data: { ...credential, userId: tab.userId, name: 'old', transports: [] } })
  const { code } = await tab.post('/auth/unlink-account', { providerId: 'credential' })
  expect(code).toBe('FAILED_TO_UNLINK_LAST_ACCOUNT')
})

test('a removed passkey ends the sign-in that waits for a second factor', async () => {
  const tab = await app.signedIn()
  const { id } = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
  const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
  await app.db.session.updateMany({ where: { userId: tab.userId }, data: { secondFactorAt: new Date() } })
  const waiting = app.browser()
  await waiting.post('/auth/sign-in/email', tab.person)
  expect((await tab.post('/auth/passkey/delete-passkey', { id })).status).toBe(200)
  const { code } = await waiting.post('/auth/two-factor/verify', { code: authenticator.code(1) })
  expect(code).toBe('INVALID_TWO_FACTOR_COOKIE')
})

test('a ceremony that starts while the account is deleted fails with a code', async () => {
  for (let round = 0; round < 5; round += 1) {
    const tab = await app.signedIn()
    const starts = ['register', 'authenticate'].flatMap((kind) =>
      Array.from({ length: 8 }, () => tab.get(`/auth/passkey/generate-${kind}-options`)),
    )
    const [, ...answers] = await Promise.all([app.db.user.delete({ where: { id: tab.userId } }), ...starts])
    for (const { status } of answers) expect([200, 401]).toContain(status)
  }
})

test('passkeys do not exist where BASE_URL names an IP address', async () => {
  const plain = await createTestApp({ BASE_URL: 'http://127.0.0.1:3000' })
  const tab = plain.browser()
  expect((await tab.get('/auth/passkey/generate-authenticate-options')).status).toBe(404)
  expect((await tab.get('/.well-known/webauthn')).status).toBe(404)
  const { paths } = (await tab.get('/auth/openapi.json')).body as { paths: object }
  expect(Object.keys(paths).filter((path) => path.includes('passkey'))).toEqual([])
})
