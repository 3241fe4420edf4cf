import { outcome } from '@floorpass/testing/browser'
import { describe, expect, test } from 'vitest'
import { app, differs, readSession, signIn, type User } from './suite.ts'

const signUp = async (fields: object) => {
  const answer = await app.browser().post('/auth/sign-up/email', { ...app.person(), ...fields })
  return Object.assign(answer, { user: (answer.body as { user: User }).user })
}

describe('signing up (routes/sign-up)', () => {
  test('returns the user with a picture and the custom fields, and mails a link once', async () => {
    const fields = { image: 'https://pictures.example.test/200', riskLevel: 'moderate' }
    const { status, body, user, setCookies } = await signUp(fields)
    await app.drainMail()
    expect([status, body]).toEqual([200, { token: null, user: expect.objectContaining({ ...fields, tradingEnabled: false }) }])
    expect([app.outbox.to(user.email).length, app.outbox.lastTo(user.email).token.length > 10, setCookies]).toEqual([1, true, []])
  })

  test('needs a password', async () => {
    expect((await signUp({ password: undefined })).status).toBe(400)
  })

  differs('Empty name at sign-up', 'needs a name', async () => {
    expect(outcome(await signUp({ name: '' }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  differs('Unknown keys in a body', 'ignores fields that only the service sets', async () => {
    const { status, user } = await signUp({ role: 'admin', emailVerified: true })
    expect(status).toBe(200)
    expect(user).toMatchObject({ emailVerified: false })
    expect(user).toMatchObject({ role: 'user' })
  })

  test.each([
    ['verified', app.verified],
    ['unverified', app.signUp],
  ] as const)('looks the same when the address has a %s account', async (_, begin) => {
    const owner = await begin()
    const { id } = await app.db.user.findUniqueOrThrow({ where: { email: owner.email } })
    const fields = { email: owner.email, name: 'Second attempt', riskLevel: 'aggressive' }
    const [free, taken] = [await signUp({ ...fields, email: app.person().email }), await signUp(fields)]
    expect(taken.body).toMatchObject({ token: null, user: { ...fields, emailVerified: false, image: null } })
    expect([Object.keys(taken.body as object), Object.keys(taken.user)]).toEqual([
      Object.keys(free.body as object),
      Object.keys(free.user),
    ])
    expect(taken.user.id).not.toBe(id)
  })

  test('mails the owner of a verified address in place of a link', async () => {
    const owner = await app.verified()
    const before = app.outbox.to(owner.email).length
    await signUp({ email: owner.email })
    await app.drainMail()
    expect(app.outbox.to(owner.email)).toHaveLength(before + 1)
    expect(app.outbox.lastTo(owner.email).subject).not.toContain('Confirm')
  })
})

describe('the case of an email (routes/sign-in)', () => {
  const email = 'Test.User.Case@Example.TEST'

  test('is folded at sign-up and does not matter at sign-in', async () => {
    expect((await signUp({ ...app.person(), email })).user.email).toBe(email.toLowerCase())
    const person = await app.verified(app.person({ email: `again.${email.toLowerCase()}` }))
    for (const spelling of [person.email, person.email.toUpperCase(), `Again.${email}`]) {
      const { status, body } = await signIn({ ...person, email: spelling })
      expect([status, (body as { user: User }).user.email]).toEqual([200, person.email])
    }
  })

  test('makes no second account', async () => {
    const owner = await app.verified()
    await signUp({ email: owner.email.toUpperCase() })
    expect(await app.db.user.count({ where: { email: { equals: owner.email, mode: 'insensitive' } } })).toBe(1)
  })
})

describe('signing in (routes/sign-in)', () => {
  test('sets the session cookie, and the session names address and program of the caller', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser({ ip: '203.0.113.7' })
    const headers = { 'user-agent': 'Test' }
    expect((await tab.post('/auth/sign-in/email', { email, password }, { headers })).setCookies).toContainEqual(
      expect.stringMatching(/^local-floorpass_session=[\w-]+/),
    )
    expect((await readSession(tab))?.session).toMatchObject({ ipAddress: '203.0.113.7', userAgent: 'Test' })
  })

  test('returns the custom fields', async () => {
    const { person } = await app.registered({ ...app.person(), riskLevel: 'moderate' } as never)
    expect((await signIn(person)).body).toMatchObject({ redirect: false, user: { riskLevel: 'moderate', tradingEnabled: false } })
  })

  test('refuses an unverified address after the right password, and mails nothing', async () => {
    const person = await app.signUp()
    expect(outcome(await signIn(person))).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    expect((await app.browser().post('/auth/update-user', { name: 'New' })).status).toBe(401)
    await app.drainMail()
    expect(app.outbox.to(person.email)).toHaveLength(1)
  })

  test('logs no error for what callers get wrong', async () => {
    const person = await app.verified()
    const before = app.warnings().filter(({ level }) => Number(level) >= 50).length
    expect(outcome(await signIn({ ...person, password: 'wrong-password' }))).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect(outcome(await signIn({ ...person, email: 'missing@example.test' }))).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
    expect(outcome(await signUp({ password: 'short' }))).toEqual([400, 'PASSWORD_TOO_SHORT'])
    expect((await app.browser().post('/auth/request-password-reset', { email: 'missing@example.test' })).status).toBe(200)
    expect(app.warnings().filter(({ level }) => Number(level) >= 50)).toHaveLength(before)
  })
})
