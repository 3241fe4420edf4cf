import { adminOf } from '@floorpass/testing/admin-command'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { type OpenIdPerson, startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { followToCallback, signInAt, urlOf } from '@floorpass/testing/social-flow'
import { testDatabase } from '@floorpass/testing/test-database'
import { afterAll, describe, expect, test } from 'vitest'

// Sends known secrets through every flow at the noisiest log level, then searches everything that the service keeps.

const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
afterAll(() => google.close())
const configured = {
  AUTH_SECRET: 'canaries-of-the-box-q8Zr41Lk7TnB2vXw',
  CI_TEST_SECRET: 'canary-of-the-pipeline-5tGb',
  METRICS_TOKEN: 'canary-of-prometheus-9uJm',
  SERVICE_KEYS: 'canary-of-the-gateway-4kWq8Zr41Lk7TnB2',
  ...google.environment,
}
const app = await createTestApp(configured)
const secrets = new Map<string, string>([
  ['AUTH_SECRET', configured.AUTH_SECRET],
  ['CI_TEST_SECRET', configured.CI_TEST_SECRET],
  ['METRICS_TOKEN', configured.METRICS_TOKEN],
  ['SERVICE_KEYS', configured.SERVICE_KEYS],
  ['GOOGLE_CLIENT_SECRET', google.environment.GOOGLE_CLIENT_SECRET],
])
const keep = (name: string, secret: string | null | undefined): string => {
  expect([name, (secret ?? '').length]).toEqual([name, expect.toSatisfy((length: number) => length > 7)])
  secrets.set(name, secret ?? '')
  return secret ?? ''
}
const answers: string[] = []
const passwords = {
  first: keep('password', 'canary/first + 7f3c9e1a!'),
  second: keep('new password', 'canary/second + 2b8d4c6f!'),
  third: keep('reset password', 'canary/third + 9a1b3c5d!'),
  wrong: keep('wrong password', 'canary/wrong + 4e6f8a0b!'),
}

async function runEveryFlow() {
  const person = app.person({ password: passwords.first })
  const { email, name } = person
  const anonymous = app.browser()
  const failing = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await anonymous.post(path, body, { headers })
    answers.push(JSON.stringify(answer.body))
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status >= 400 && status < 500)])
  }

  app.outbox.failWith(new Error('the mail server is away'))
  await app.signUp(person)
  app.outbox.failWith(null)
  await app.db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
  await app.drainMail()
  await failing('/auth/sign-in/email', { email, password: passwords.first })
  const verifyToken = keep('verification link', app.outbox.lastTo(email).token)
  expect((await anonymous.post('/auth/verify-email', { token: verifyToken })).status).toBe(200)

  await failing('/auth/sign-in/email', { email, password: passwords.wrong })
  await failing('/auth/sign-in/email', { email: passwords.wrong, password: passwords.first })
  await failing('/auth/sign-in/email', { email, password: { inside: passwords.first } })
  await failing('/auth/sign-in/email', `{"email":"${email}","password":"${passwords.first}`)
  await failing('/auth/sign-in/email', { email, password: passwords.first }, { origin: 'https://evil.test' })
  await failing('/auth/sign-up/email', { name: 7, email, password: passwords.first })
  await failing(`/auth/reset-password/${verifyToken}`, {})
  await failing(`/auth/nothing?token=${verifyToken}&password=${encodeURIComponent(passwords.first)}`, {})

  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password: passwords.first })).status).toBe(200)
  keep('session cookie', tab.cookies.get('local-floorpass_session'))
  const change = await tab.post('/auth/change-password', { currentPassword: passwords.first, newPassword: passwords.second })
  expect(change.status).toBe(200)
  const cookie = keep('renewed session cookie', tab.cookies.get('local-floorpass_session'))
  await tab.get(`/auth/get-session?cookie=${cookie}`, { headers: { authorization: `Bearer ${cookie}`, 'user-agent': 'Firefox' } })

  await anonymous.post('/auth/forget-password', { email })
  await app.drainMail()
  const resetToken = keep('reset link', app.outbox.lastTo(email).token)
  await failing('/auth/reset-password', { token: resetToken, newPassword: 'short' })
  expect((await anonymous.post('/auth/reset-password', { token: resetToken, newPassword: passwords.third })).status).toBe(200)
  await failing('/auth/reset-password', { token: resetToken, newPassword: passwords.wrong })

  const again = app.browser()
  expect((await again.post('/auth/sign-in/email', { email, password: passwords.third })).status).toBe(200)
  const { authenticator, backupCodes } = await switchOnTwoFactor(again, passwords.third)
  keep('two-factor secret', authenticator.secret)
  backupCodes.forEach((code, index) => void keep(`backup code ${index}`, code))
  const challenged = app.browser()
  await challenged.post('/auth/sign-in/email', { email, password: passwords.third })
  // The cookie of the last method holds a word such as "password".
  const secretCookies = () => [...challenged.cookies].filter(([cookieName]) => !cookieName.endsWith('_sign_in_method'))
  for (const [cookieName, value] of secretCookies()) keep(`cookie ${cookieName}`, value)
  expect((await challenged.post('/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(401)
  expect((await challenged.post('/auth/two-factor/verify-backup-code', { code: `${backupCodes[1]}x` })).status).toBe(401)
  const entered = await challenged.post('/auth/two-factor/verify-backup-code', { code: backupCodes[1], trustDevice: true })
  expect(entered.status).toBe(200)
  for (const [cookieName, value] of secretCookies()) keep(`cookie ${cookieName} after`, value)

  expect((await challenged.post('/auth/change-email', { newEmail: `new-${email}`, password: passwords.third })).status).toBe(200)
  await app.drainMail()
  keep('change-email link', app.outbox.lastTo(`new-${email}`).token)
  const created = await challenged.post('/auth/organization/create', { name: 'Desk', slug: `desk-${Date.now()}` })
  expect(created.status).toBe(200)
  await challenged.post('/auth/organization/invite-member', { email: `guest-${email}`, role: 'member' })
  await app.drainMail()
  keep('invitation', app.outbox.lastTo(`guest-${email}`).token)
  const exported = await challenged.get('/auth/export-data')
  expect(exported.status).toBe(200)
  answers.push(JSON.stringify(exported.body))

  google.person = { sub: `canary-${email}`, email: `social-${email}`, email_verified: true, name } as OpenIdPerson
  const start = app.browser()
  const back = await followToCallback(app, start, 'google')
  keep('code of the provider', new URL(back, app.baseUrl).searchParams.get('code'))
  keep('flow cookie', start.cookies.get('floorpass_flow'))
  await app.browser().get(back)
  await start.get(back)
  await start.get(back)
  keep('state', urlOf(await start.post('/auth/sign-in/social', { provider: 'google' })).searchParams.get('state'))
  await signInAt(app, 'google')
  expect(google.issued.length).toBeGreaterThan(1)
  google.issued.forEach((token, index) => void keep(`token ${index} of the provider`, token))

  for (const path of ['/tests/check-database', '/metrics'])
    for (const secret of [configured.CI_TEST_SECRET, configured.METRICS_TOKEN, 'nonsense'])
      await anonymous.get(path, { headers: { authorization: `Bearer ${secret}` } })
  await anonymous.post('/trpc/signIn.email', { email, password: passwords.wrong })
  const service = await adminOf(app)('create-service', 'canary', '--scopes', 'session:verify', '--quiet')
  for (const secret of [
    keep('secret of a service', service.stdout.trim()),
    configured.SERVICE_KEYS,
    `${configured.SERVICE_KEYS}x`,
  ])
    await app
      .browser({ origin: null })
      .post('/auth/introspect', { token: cookie }, { headers: { authorization: `Bearer ${secret}` } })
  return { email }
}

/** The encodings in which a secret could appear. */
const encodingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('-', ''),
  ...(['base64', 'base64url', 'hex'] as const).map((form) => Buffer.from(secret).toString(form).replace(/=+$/, '')),
]
/** The names of the secrets in a text. */
const foundIn = (text: string): string[] => {
  const lower = text.toLowerCase()
  return [...secrets]
    .filter(([, secret]) => encodingsOf(secret).some((form) => lower.includes(form.toLowerCase())))
    .map(([name]) => name)
}

const { email } = await runEveryFlow()

describe('after every flow with known secrets', () => {
  test('the search finds every secret in every encoding', () => {
    for (const [name, secret] of secrets)
      for (const form of encodingsOf(secret)) expect(foundIn(`{"a":"x${form}y"}`)).toContain(name)
    expect(secrets.size).toBeGreaterThan(30)
  })

  test('T176: no log line contains one', () => {
    expect(app.logs.length).toBeGreaterThan(40)
    expect(foundIn(JSON.stringify(app.logs))).toEqual([])
    expect(app.logs.some(({ path }) => path === '/auth/reset-password/[removed]')).toBe(true)
  })

  test('T176: no metric, error answer or audit event contains one', async () => {
    const metrics = await app.service.metrics?.registry.metrics()
    expect(metrics).toContain('floorpass_errors_total')
    expect(foundIn(metrics ?? '')).toEqual([])
    expect(answers.length).toBeGreaterThan(8)
    expect(foundIn(JSON.stringify(answers))).toEqual([])
    expect(foundIn(JSON.stringify(await app.db.auditEvent.findMany()))).toEqual([])
  })

  test('T177: no row of the database contains one', async () => {
    const rows = await app.readAllRows()
    expect(rows.length).toBeGreaterThan(20)
    expect(JSON.stringify(rows)).toContain(email)
    expect(foundIn(JSON.stringify(rows))).toEqual([])
  })

  test('every log line has a time and a message, and each request line has its own id', () => {
    for (const line of app.logs) expect(line).toMatchObject({ time: expect.any(Number), msg: expect.any(String) })
    const requests = app.logs.filter(({ msg }) => msg === 'request')
    for (const line of requests) expect(line.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length)
  })

  test('ignores the x-request-id of a caller and never logs it', async () => {
    const answer = await app.browser().get('/healthz', { headers: { 'x-request-id': 'forged-id\\n{"level":60}' } })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(JSON.stringify(app.logs)).not.toContain('forged-id')
  })

  test.runIf(testDatabase.kind === 'postgres')('T176: no log line contains one while the database is down', async () => {
    const before = app.logs.length
    const tab = app.browser()
    tab.cookies.set('local-floorpass_session', keep('cookie in an outage', 'canary-cookie-of-the-outage-0123456789abcdefgh'))
    const { back } = await app.loseDatabase()
    expect((await tab.get('/auth/get-session')).status).toBe(503)
    expect((await tab.post('/auth/sign-in/email', { email, password: passwords.third })).status).toBe(503)
    expect((await tab.post('/auth/verify-email', { token: secrets.get('reset link') })).status).toBe(503)
    await back()
    const lines = app.logs.slice(before)
    expect(lines.filter(({ msg }) => msg === 'procedure failed').length).toBeGreaterThanOrEqual(3)
    expect(foundIn(JSON.stringify(lines))).toEqual([])
  })
})
