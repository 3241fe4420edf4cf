import { randomUUID } from 'node:crypto'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addresses, everyProvider, routeSamples } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp(everyProvider)
const samples = routeSamples(app)

const values = [
  "' OR '1'='1",
  "'; DROP TABLE users; --",
  '" OR ""="',
  "admin'/*",
  '1; SELECT pg_sleep(50)',
  "' || pg_sleep(50) || '",
  '{"$gt":""}',
  '$where: sleep(50000)',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '{{7*7777777}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: another language's template
  '${7*7777777}',
  '<%= 7*7777777 %>',
  '#{7*7777777}',
  '%s%s%s%n',
  '$(sleep 5)',
  '`sleep 5`',
  '*)(uid=*))(|(uid=*',
  '<!ENTITY x SYSTEM "file:///etc/passwd">',
]

describe('T159: a value that another interpreter would run is stored as text', () => {
  test.each(values)('%s', async (value) => {
    const tab = await app.signedIn()
    const organization = { name: 'Desk', slug: randomUUID() }
    const answers = [
      await app.browser().post('/auth/sign-in/email', { email: value, password: value }),
      await app.browser().post('/auth/sign-in/email', { email: tab.person.email, password: value }),
      await app.browser().post('/auth/sign-up/email', { ...app.person(), name: value, callbackURL: value }),
      await app.browser().post('/auth/reset-password', { token: value, newPassword: 'violet harbor ladder' }),
      await app.browser().post('/auth/verify-email', { token: value }),
      await app.browser().get(`/auth/verify-email?token=${encodeURIComponent(value)}`),
      await tab.post('/auth/revoke-session', { token: value }),
      await tab.post('/auth/organization/create', { ...organization, name: value, logo: value }),
      await tab.post('/auth/organization/create', { ...organization, slug: value }),
      await tab.get(`/auth/organization/list-members?${new URLSearchParams({ organizationId: value, sortBy: value })}`),
      await tab.post('/auth/two-factor/verify', { code: value }),
      await tab.get('/auth/get-session', { headers: { 'user-agent': value, cookie: `local-floorpass_session=${value}` } }),
    ]
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/root:x:|\[fonts\]|54444439/)

    const named = await tab.post('/auth/update-user', { name: value })
    const { user } = (await tab.get('/auth/get-session')).body as { user: { name: string } }
    expect(user.name).toBe(named.status === 200 ? value : tab.person.name)
  })

  test.each(addresses.filter(({ method, path }) => `${method} ${path}` in samples))(
    'does not fail or hang $method $path in any field',
    async ({ method, path }) => {
      const tab = await app.signedIn()
      const fields = await (samples[`${method} ${path}`] as (typeof samples)[string])(tab)
      const send = async (field: string, value: string) => {
        const input = { ...fields, [field]: value }
        const answer =
          method === 'GET'
            ? await tab.get(`/auth${path}?${new URLSearchParams(input as Record<string, string>)}`)
            : await tab.post(`/auth${path}`, input)
        expect([field, value, answer.status]).toEqual([field, value, expect.toSatisfy((status: number) => status < 500)])
        expect(JSON.stringify(answer.body)).not.toMatch(/root:x:|\[fonts\]|54444439/)
      }
      // A value that sleeps would exceed the time of a statement, or of this test.
      for (const field of Object.keys(fields).filter((name) => typeof fields[name] === 'string'))
        for (const value of values) await send(field, value)
    },
  )

  test('causes no unexpected error', () => {
    // A strange value of /auth/verify looks like a gateway's mistake.
    expect(app.warnings().filter(({ msg }) => !String(msg).startsWith('gateway request invalid'))).toEqual([])
  })
})

describe('an ambiguous request', () => {
  const signInWith = (body: string) => app.browser().post('/auth/sign-in/email', body)

  test('T122: uses the last of two values with one name in JSON or a form, and refuses them in a query', async () => {
    const { email, password } = await app.verified()
    const [right, wrong] = [JSON.stringify(password), '"something else"']
    const json = (first: string, last: string) => `{"email":"${email}","password":${first},"password":${last}}`
    expect((await signInWith(json(wrong, right))).status).toBe(200)
    expect((await signInWith(json(right, wrong))).status).toBe(401)
    const form = (...passwords: string[]) =>
      app
        .browser()
        .post(
          '/auth/sign-in/email',
          new URLSearchParams([['email', email], ...passwords.map((each) => ['password', each])]).toString(),
          {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          },
        )
    expect((await form('something else', password)).status).toBe(200)
    expect((await form(password, 'something else')).status).toBe(401)

    const signUp = async () => app.outbox.lastTo((await app.signUp()).email).token
    const token = await signUp()
    for (const query of [`token=nonsense&token=${token}`, `token=${token}&token=nonsense`, `token=${token}&token=${token}`])
      expect((await app.browser().get(`/auth/verify-email?${query}`)).code).toBe('VALIDATION_ERROR')
    expect((await app.browser().get(`/auth/verify-email?token=${token}`)).status).toBe(200)
  })

  test('T122: ignores a query beside a body', async () => {
    const { email, password } = await app.verified()
    const query = new URLSearchParams({ email, password })
    expect((await app.browser().post(`/auth/sign-in/email?${query}`, { email, password: 'something else' })).status).toBe(401)
    expect((await app.browser().post(`/auth/sign-in/email?${query}`)).code).toBe('VALIDATION_ERROR')
  })

  test('T124: ignores unknown fields over REST and tRPC alike', async () => {
    const { email, password } = await app.verified()
    const fields = { email, password, admin: true, user: { role: 'owner' }, trustDevice: true }
    const answers = [
      await app.browser().post('/auth/sign-in/email', fields),
      await app.browser().post('/trpc/signIn.email', fields),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const forbidden = { name: 'Eve', emailVerified: true }
    const tab = await app.signedIn()
    for (const path of ['/auth/update-user', '/trpc/profile.update']) {
      const { status, body } = await tab.post(path, forbidden)
      expect([path, status, JSON.stringify(body).includes('FIELD_NOT_ALLOWED')]).toEqual([path, 400, true])
    }
  })

  test('T89: folds upper case but not dots or plus signs, at sign-up, sign-in and reset alike', async () => {
    const { email, password } = await app.verified()
    const [local, domain] = email.split('@') as [string, string]
    expect((await app.browser().post('/auth/sign-in/email', { email: email.toUpperCase(), password })).status).toBe(200)
    for (const variant of [`${local}+news@${domain}`, `${local.slice(0, 1)}.${local.slice(1)}@${domain}`]) {
      expect((await app.browser().post('/auth/sign-in/email', { email: variant, password })).status).toBe(401)
      await app.browser().post('/auth/forget-password', { email: variant })
      await app.drainMail()
      expect(app.outbox.to(variant)).toEqual([])
      const another = await app.verified(app.person({ email: variant }))
      expect((await app.browser().post('/auth/sign-in/email', { email: variant, password: another.password })).status).toBe(200)
    }
    await app.signUp(app.person({ email: email.toUpperCase() }))
    expect(
      await app.db.user.count({ where: { email: { startsWith: local.slice(0, 1), endsWith: `${local.slice(1)}@${domain}` } } }),
    ).toBe(2)
  })
})
