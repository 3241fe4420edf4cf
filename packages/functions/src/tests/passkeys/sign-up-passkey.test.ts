import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { signInWithPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const register = '/auth/passkey/verify-registration'

const signUp = async (person = app.person()) => {
  const { name, email } = person
  expect((await app.browser().post('/auth/sign-up/passkey', { name, email })).body).toEqual({ status: true })
  await app.drainMail()
  return { person, token: app.outbox.lastTo(email).token }
}
const getOptions = (tab: Pick<Browser, 'get'>, token: string) =>
  tab.get(`/auth/passkey/generate-register-options?context=${token}`)
const createRegistration = async (tab: Browser, token: string, authenticator = createSoftwareAuthenticator()) =>
  authenticator.register((await getOptions(tab, token)).body as never)
const complete = async (tab: Browser, token: string, authenticator = createSoftwareAuthenticator()) =>
  tab.post(register, { response: await createRegistration(tab, token, authenticator), createSession: true })
const findUser = (email: string) =>
  app.db.user.findUniqueOrThrow({ where: { email }, include: { accounts: true, passkeys: true, sessions: true } })

describe('a sign-up by passkey', () => {
  test('mails a link that creates the passkey, verifies the address and signs in', async () => {
    const { person, token } = await signUp()
    expect(app.outbox.lastTo(person.email).subject).toBe('Create your passkey for Floorpass')
    expect(await findUser(person.email)).toMatchObject({ emailVerified: false, passkeys: [] })
    const [tab, authenticator] = [app.browser(), createSoftwareAuthenticator()]
    const answer = await complete(tab, token, authenticator)
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { credentialID: expect.any(String), session: {}, user: { email: person.email, emailVerified: true, name: person.name } },
    ])
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: person.email } })
    const user = await findUser(person.email)
    expect(user).toMatchObject({ emailVerified: true, accounts: [], sessions: [{ authenticationMethods: ['hwk'] }] })
    const events = await app.db.auditEvent.findMany({ where: { userId: user.id }, orderBy: { id: 'asc' } })
    expect(events.map(({ action }) => action).sort()).toEqual(['add-passkey', 'sign-in', 'sign-up', 'verify-email'])
    expect(events.find(({ action }) => action === 'sign-in')?.details).toEqual({ factor: 'passkey' })
    expect((await signInWithPasskey(app.browser(), authenticator)).body).toMatchObject({ user: { id: user.id } })
  })

  test('lets the owner set a password with a reset link', async () => {
    const { person, token } = await signUp()
    await complete(app.browser(), token)
    await app.browser().post('/auth/forget-password', { email: person.email })
    await app.drainMail()
    const newPassword = 'violet harbor ladder'
    const reset = { token: app.outbox.lastTo(person.email).token, newPassword }
    expect((await app.browser().post('/auth/reset-password', reset)).status).toBe(200)
    const signedIn = await app.browser().post('/auth/sign-in/email', { email: person.email, password: newPassword })
    expect(signedIn.body).toMatchObject({ user: { email: person.email } })
  })

  test('answers a taken address alike, and mails its owner', async () => {
    const { person } = await app.signedIn()
    const answer = await app.browser().post('/auth/sign-up/passkey', { name: 'Mallory', email: person.email })
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toContain('already')
    expect((await app.db.user.findUniqueOrThrow({ where: { email: person.email } })).name).toBe(person.name)
  })

  test('accepts one of twenty concurrent uses of a link', async () => {
    const { person, token } = await signUp()
    const tab = app.browser()
    await getOptions(tab, token)
    const answers: unknown[] = []
    const responses = await Promise.all(Array.from({ length: 20 }, () => createRegistration(tab, token)))
    for (const { status, code } of await Promise.all(
      responses.map((response) => tab.post(register, { response, createSession: true })),
    ))
      answers.push(code ?? status)
    expect(answers.filter((answer) => answer === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'INVALID_TOKEN')).toHaveLength(19)
    expect(await findUser(person.email)).toMatchObject({ passkeys: [{}], sessions: [{}] })
    expect((await getOptions(app.browser(), token)).code).toBe('INVALID_TOKEN')
  })

  test('works for 24 hours', async () => {
    const clock = holdClock()
    const { token } = await signUp()
    clock.advance(24 * 3600 - 1)
    expect((await getOptions(app.browser(), token)).status).toBe(200)
    clock.advance(1)
    expect((await getOptions(app.browser(), token)).code).toBe('TOKEN_EXPIRED')
  })

  test('keeps the link when the passkey is refused', async () => {
    const { person, token } = await signUp()
    const tab = app.browser()
    const authenticator = createSoftwareAuthenticator()
    const response = await authenticator.register((await getOptions(tab, token)).body as never, { userVerified: false })
    expect((await tab.post(register, { response, createSession: true })).code).toBe('FAILED_TO_VERIFY_REGISTRATION')
    expect(await findUser(person.email)).toMatchObject({ emailVerified: false, passkeys: [], sessions: [] })
    expect((await complete(tab, token)).status).toBe(200)
  })

  test('refuses a passkey of another account, and changes nothing', async () => {
    const authenticator = createSoftwareAuthenticator()
    await complete(app.browser(), (await signUp()).token, authenticator)
    const { person, token } = await signUp()
    const tab = app.browser()
    const response = await createRegistration(tab, token)
    const [known] = authenticator.credentials
    await app.db.passkey.update({ where: { credentialId: known?.id ?? '' }, data: { credentialId: response.id } })
    expect((await tab.post(register, { response, createSession: true })).code).toBe('PREVIOUSLY_REGISTERED')
    expect(await findUser(person.email)).toMatchObject({ emailVerified: false, passkeys: [], sessions: [] })
  })

  test('needs the browser that started it', async () => {
    const { token } = await signUp()
    const response = await createRegistration(app.browser(), token)
    expect((await app.browser().post(register, { response, createSession: true })).code).toBe('CHALLENGE_NOT_FOUND')
  })

  test('needs a link: a challenge of a session or of a sign-in opens nothing', async () => {
    const tab = await app.signedIn()
    const response = createSoftwareAuthenticator().register(
      (await tab.get('/auth/passkey/generate-register-options')).body as never,
    )
    expect((await tab.post(register, { response: await response, createSession: true })).code).toBe('CHALLENGE_NOT_FOUND')
    expect(await app.db.passkey.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('does not use the link of another purpose', async () => {
    const person = app.person()
    await app.browser().post('/auth/sign-up/email', person)
    await app.drainMail()
    expect((await getOptions(app.browser(), app.outbox.lastTo(person.email).token)).code).toBe('INVALID_TOKEN')
    const { token } = await signUp()
    expect((await app.browser().post('/auth/verify-email', { token })).code).toBe('INVALID_TOKEN')
    expect((await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })).code).toBe(
      'INVALID_TOKEN',
    )
  })

  test('refuses the link of a suspended user', async () => {
    const { person, token } = await signUp()
    const tab = app.browser()
    const response = await createRegistration(tab, token)
    await app.db.user.update({ where: { email: person.email }, data: { suspendedAt: new Date() } })
    expect((await getOptions(app.browser(), token)).code).toBe('INVALID_TOKEN')
    expect((await tab.post(register, { response, createSession: true })).code).toBe('INVALID_TOKEN')
    expect(await findUser(person.email)).toMatchObject({ passkeys: [], sessions: [] })
  })
})

describe('a contested address', () => {
  test('loses the password that another person chose before', async () => {
    const other = app.person()
    await app.browser().post('/auth/sign-up/email', other)
    const { person, token } = await signUp({ ...other, name: 'Ada' })
    await complete(app.browser(), token)
    expect(await findUser(person.email)).toMatchObject({ accounts: [], name: 'Ada', emailVerified: true })
    expect((await app.browser().post('/auth/sign-in/email', other)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('loses the password that another person chose after', async () => {
    const { person, token } = await signUp()
    await app.browser().post('/auth/sign-up/email', person)
    await complete(app.browser(), token)
    expect(await findUser(person.email)).toMatchObject({ accounts: [] })
    expect((await app.browser().post('/auth/sign-in/email', person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  test('creates no passkey once a link verified the address', async () => {
    const { person, token } = await signUp()
    const tab = app.browser()
    const response = await createRegistration(tab, token)
    await app.browser().post('/auth/sign-up/email', person)
    await app.drainMail()
    expect((await app.browser().post('/auth/verify-email', { token: app.outbox.lastTo(person.email).token })).status).toBe(200)
    expect((await getOptions(app.browser(), token)).code).toBe('INVALID_TOKEN')
    expect((await tab.post(register, { response, createSession: true })).code).toBe('INVALID_TOKEN')
    expect(await findUser(person.email)).toMatchObject({ passkeys: [], sessions: [], accounts: [{ passwordHash: null }] })
  })
})

test.each([
  ['not an email', { email: 'ada', name: 'Ada' }],
  ['no name', { email: 'ada@example.test' }],
])('refuses %s', async (_, fields) => {
  expect((await app.browser().post('/auth/sign-up/passkey', fields)).code).toBe('VALIDATION_ERROR')
})

test('mails an address five times an hour', async () => {
  const strict = await createTestApp({ RATE_LIMIT: 'on' })
  const { name, email } = app.person()
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5', '192.0.2.6', '192.0.2.7'])
    expect((await strict.browser({ ip }).post('/auth/sign-up/passkey', { name, email })).status).toBe(200)
  await strict.drainMail()
  expect(strict.outbox.to(email)).toHaveLength(5)
})

test('looks at no link for an address that asked too often', async () => {
  const strict = await createTestApp({ RATE_LIMIT: 'on' })
  const ip = '198.51.100.7'
  await strict.service.deps.limiter.block('passkey:ip', ip, 60)
  const input = encodeURIComponent(JSON.stringify({ token: 'a token of no email' }))
  const check = (address: string) => strict.browser({ ip: address }).get(`/trpc/passkeys.checkSignUpLink?input=${input}`)
  expect([(await check(ip)).status, (await check('198.51.100.8')).status]).toEqual([429, 400])
})
