import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { signInAt } from '@floorpass/testing/social-flow'
import { describe, expect, test } from 'vitest'
import { app, differs, google, newPassword, readSession, signIn, trusted } from './suite.ts'

const request = (email: string, redirectTo?: string) =>
  app.browser().post('/auth/request-password-reset', { email, ...(redirectTo && { redirectTo }) })
const reset = (token: string, password = newPassword) =>
  app.browser().post('/auth/reset-password', { newPassword: password, token })

/** A person who asked for a new password. */
async function forgetful() {
  const person = await app.verified()
  await request(person.email)
  await app.drainMail()
  return { person, token: app.outbox.lastTo(person.email).token }
}

const passwordRow = async (tab: Awaited<ReturnType<typeof signIn>>['tab']) =>
  ((await tab.get('/auth/list-accounts')).body as { providerId: string; updatedAt: string }[]).find(
    ({ providerId }) => providerId === 'credential',
  )

describe('a forgotten password (routes/password)', () => {
  test('is asked for with the same answer for a known and an unknown address, and when no mail leaves', async () => {
    const { email } = await app.verified()
    const message = 'If this email exists in our system, check your email for the reset link'
    const answers = [await request(email, app.baseUrl), await request('unknown@example.test', app.baseUrl)]
    await app.drainMail()
    app.outbox.failWith(new Error('the mail server is away'))
    answers.push(await request(email, app.baseUrl))
    await app.drainMail()
    app.outbox.failWith(null)
    await app.db.queuedMail.deleteMany()
    for (const { status, body } of answers) expect([status, body]).toEqual([200, { status: true, message }])
  })

  test('leads back only to a trusted address', async () => {
    const { email } = await app.verified()
    const answer = await request(email, 'http://malicious.com')
    expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_REDIRECT_URL', message: 'Invalid redirectURL' }])
    expect((await request(email, `${trusted}/reset-password`)).status).toBe(200)
  })

  test('mails a link that keeps the whole address it leads back to', async () => {
    const { email } = await app.verified()
    await request(email, `${app.baseUrl}/new-password?foo=bar&baz=qux`)
    await app.drainMail()
    const { link } = app.outbox.lastTo(email)
    expect([...link.searchParams.values()]).toContain(`${app.baseUrl}/new-password?foo=bar&baz=qux`)
    const { headers } = await app.browser().get(link.pathname + link.search)
    expect(headers.get('location')).toMatch(/\/new-password\?foo=bar&baz=qux&token=/)
  })

  test('is replaced with the token in the query or in the body, once', async () => {
    const { person, token } = await forgetful()
    expect(outcome(await reset(token, 'short'))).toEqual([400, 'PASSWORD_TOO_SHORT'])
    expect((await app.browser().post(`/auth/reset-password?token=${token}`, { newPassword })).body).toEqual({ status: true })
    expect((await signIn(person)).status).toBe(401)
    expect((await signIn({ ...person, password: newPassword })).status).toBe(200)
    expect((await reset(token)).status).toBe(400)
  })

  test('is replaced once when a link is used twice at the same moment', async () => {
    const { person, token } = await forgetful()
    const passwords = [newPassword, 'copper anchor meadow']
    const statuses = (await Promise.all(passwords.map((password) => reset(token, password)))).map(({ status }) => status)
    expect([...statuses].sort()).toEqual([200, 400])
    const signIns = await Promise.all(passwords.map((password) => signIn({ ...person, password })))
    expect(signIns.map(({ status }) => status)).toEqual(statuses.map((status) => (status === 200 ? 200 : 401)))
  })

  test('keeps its link for an hour', async () => {
    const clock = holdClock()
    const [early, late] = [await forgetful(), await forgetful()]
    clock.advance(59 * 60)
    expect((await reset(early.token)).status).toBe(200)
    clock.advance(2 * 60)
    expect((await reset(late.token)).status).toBe(400)
  })

  test('keeps its row in the list of accounts, and moves the date there', async () => {
    const clock = holdClock()
    const { person, token } = await forgetful()
    const readRow = () => app.db.account.findFirstOrThrow({ where: { user: { email: person.email } } })
    const before = await readRow()
    clock.advance(10)
    await reset(token)
    const after = await readRow()
    expect([after.id, after.accountId, after.updatedAt > before.updatedAt]).toEqual([before.id, before.accountId, true])
  })

  differs('Sessions after a password reset or change', 'ends every session', async () => {
    const { person, token } = await forgetful()
    const { tab } = await signIn(person)
    await reset(token)
    expect(await readSession(tab)).toBeNull()
  })

  differs('`GET /delete-user/callback`, `GET /reset-password/:token`', 'has no address with the token in its path', async () => {
    const { token } = await forgetful()
    expect((await app.browser().get(`/auth/reset-password/${token}?callbackURL=/cb`)).status).toBe(404)
    expect((await reset(token)).status).toBe(200)
  })
})

describe('changing a password (routes/update-user)', () => {
  const change = (tab: Awaited<ReturnType<typeof signIn>>['tab'], fields: object) =>
    tab.post('/auth/change-password', { newPassword, ...fields })

  test('needs the current one', async () => {
    const person = await app.verified()
    const { tab } = await signIn(person)
    expect(outcome(await change(tab, { currentPassword: 'wrong password' }))).toEqual([400, 'INVALID_PASSWORD'])
    expect((await signIn({ ...person, password: newPassword })).status).toBe(401)
  })

  test('makes the new one count, ends the other sessions, and gives this browser a new cookie', async () => {
    const clock = holdClock()
    const person = await app.verified()
    const [{ tab }, other] = [await signIn(person), await signIn(person)]
    const [cookie, before] = [tab.cookies.get('local-floorpass_session'), await passwordRow(tab)]
    clock.advance(10)
    const answer = await change(tab, { currentPassword: person.password, revokeOtherSessions: true })
    expect(Date.parse((await passwordRow(tab))?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before?.updatedAt ?? ''))
    expect([answer.status, tab.cookies.get('local-floorpass_session') === cookie]).toEqual([200, false])
    const former = app.browser()
    former.cookies.set('local-floorpass_session', cookie ?? '')
    expect([await readSession(former), await readSession(other.tab)]).toEqual([null, null])
    expect([(await signIn(person)).status, (await signIn({ ...person, password: newPassword })).status]).toEqual([401, 200])
  })

  differs('Sessions after a password reset or change', 'ends the other sessions unasked', async () => {
    const person = await app.verified()
    const [{ tab }, other] = [await signIn(person), await signIn(person)]
    const { body } = await change(tab, { currentPassword: person.password })
    expect(body).toMatchObject({ token: (await readSession(tab))?.session.token })
    expect(await readSession(other.tab)).toBeNull()
  })
})

describe('checking a password (routes/password)', () => {
  differs('`POST /verify-password`', 'is done by reauthenticate', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    expect((await tab.post('/auth/verify-password', { password })).status).toBe(404)
    expect((await tab.post('/auth/reauthenticate', { password })).status).toBe(200)
    expect(outcome(await tab.post('/auth/reauthenticate', { password: 'wrong-password' }))).toEqual([400, 'INVALID_PASSWORD'])
    expect((await app.browser().post('/auth/reauthenticate', { password })).status).toBe(401)
  })
})

test('a first password joins an account that has none, once (routes/update-user)', async () => {
  const email = app.person().email
  google.person = { sub: email, email, email_verified: true, name: 'Gina' }
  const { tab } = await signInAt(app, 'google')
  expect((await tab.post('/auth/set-password', { newPassword })).body).toEqual({ status: true })
  expect((await signIn({ email, password: newPassword })).status).toBe(200)
  expect(outcome(await tab.post('/auth/set-password', { newPassword }))).toEqual([400, 'PASSWORD_ALREADY_SET'])
})
