import { createResponseFloor } from '@floorpass/api'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const requestChange = (tab: Pick<Browser, 'post'>, newEmail: unknown, fields: Record<string, unknown> = {}) =>
  tab.post('/auth/change-email', { newEmail, ...fields })
const openLink = (token: string | undefined, tab: Pick<Browser, 'post'> = app.browser()) =>
  tab.post('/auth/verify-email', { token })
/** Signs a person up so long ago that their link is expired. */
const signUpLongAgo = async (person = app.person()) => {
  await app.signUp(person)
  await app.db.user.update({ where: { email: person.email }, data: { updatedAt: new Date(Date.now() - 25 * 3_600_000) } })
  return person
}
const createEmail = () => app.person().email
/** Requests the change and returns the link sent to the new email. */
const requestChangeLink = async (tab: Tab, newEmail = createEmail()) => {
  expect((await requestChange(tab, newEmail)).status).toBe(200)
  await app.drainMail()
  return { newEmail, ...app.outbox.lastTo(newEmail) }
}
const getEmail = async ({ userId }: Tab) => {
  const { email, emailVerified } = await app.db.user.findUniqueOrThrow({ where: { id: userId } })
  return [email, emailVerified]
}
const getComparable = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]

describe('change-email', () => {
  test('T98: changes nothing until the new email is confirmed, and notifies the old one at once', async () => {
    const tab = await app.signedIn()
    const { newEmail, token, link, subject } = await requestChangeLink(tab)
    expect(await getEmail(tab)).toEqual([tab.person.email, true])
    expect([subject, link.origin + link.pathname]).toEqual([
      'Confirm your new email for Floorpass',
      `${app.baseUrl}/verify-email`,
    ])
    const notice = app.outbox.lastTo(tab.person.email)
    expect(notice.subject).toBe('Someone requested an email change on your Floorpass account')
    expect(notice.text).toContain('a•••@e•••.test')
    for (const hidden of [newEmail, token]) expect(notice.text + notice.html).not.toContain(hidden)
    expect((await signIn(app, { email: newEmail, password: tab.person.password })).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(app, tab.person)).status).toBe(200)

    const answer = await openLink(token)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ status: true, user: { id: tab.userId, email: newEmail, emailVerified: true } })
    expect(await getEmail(tab)).toEqual([newEmail, true])
    expect((await signIn(app, { email: newEmail, password: tab.person.password })).status).toBe(200)
    expect((await signIn(app, tab.person)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: newEmail } })
    await app.drainMail()
    const undo = app.outbox.lastTo(tab.person.email)
    expect([undo.subject, undo.link.origin + undo.link.pathname]).toEqual([
      'The email of your Floorpass account was changed',
      `${app.baseUrl}/undo-email-change`,
    ])
    const actions = await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: { endsWith: 'email' } } })
    expect(actions.filter(({ action }) => action === 'change-email')).toHaveLength(1)
  })

  test('T8: answers alike for a taken and a free email in the same time', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const tab = await app.signedIn()
    const verified = await app.verified()
    const free = createEmail()
    const mails = app.outbox.mails.length
    const answers: ReturnType<typeof getComparable>[] = []
    for (const address of [free, verified.email]) {
      const started = performance.now()
      answers.push(getComparable(await requestChange(tab, address)))
      expect(performance.now() - started).toBeGreaterThan(195)
    }
    expect(answers[0]).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    await app.drainMail()
    const reached = app.outbox.mails.slice(mails).map(({ to }) => to)
    expect(reached.sort()).toEqual([free, ...Array(2).fill(tab.person.email)].sort())
  })

  test('T83: takes an email from an unverified sign-up whose link expired, and removes that sign-up', async () => {
    const squatter = await signUpLongAgo()
    const { token: squattersLink } = app.outbox.lastTo(squatter.email)
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab, squatter.email)
    expect((await openLink(token)).status).toBe(200)
    expect(await getEmail(tab)).toEqual([squatter.email, true])
    expect((await signIn(app, squatter)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await openLink(squattersLink)).code).toBe('INVALID_TOKEN')
    expect(await app.db.user.count({ where: { email: squatter.email } })).toBe(1)
  })

  test('T173: leaves an email to one account when a sign-up and a change confirm it in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await signUpLongAgo()
      const { token: signUpLink } = app.outbox.lastTo(other.email)
      const tab = await app.signedIn()
      const { token } = await requestChangeLink(tab, other.email)
      const answers = await Promise.all([openLink(token), openLink(signUpLink)])
      for (const { status, code } of answers)
        expect([200, undefined, 400, 'INVALID_TOKEN']).toEqual(expect.arrayContaining([status, code]))
      expect(await app.db.user.count({ where: { email: other.email, emailVerified: true } })).toBe(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('refuses the current email in any case', async () => {
    const tab = await app.signedIn()
    for (const address of [tab.person.email, tab.person.email.toUpperCase()]) {
      const answer = await requestChange(tab, address)
      expect([answer.status, answer.body]).toEqual([400, { code: 'EMAIL_IS_THE_SAME', message: 'Email is the same' }])
    }
  })

  test('T121, T155, T171: answers 400 to anything but a single email', async () => {
    const tab = await app.signedIn()
    for (const address of [
      undefined,
      null,
      7,
      [],
      {},
      'ada',
      'a@b.test,c@d.test',
      'a@b.test\r\nBcc: c@d.test',
      'аda@example.test',
    ])
      expect((await requestChange(tab, address)).code).toBe('VALIDATION_ERROR')
  })

  test('T63: refuses a foreign callbackURL without a mail, and puts an allowed one in the link', async () => {
    const tab = await app.signedIn()
    for (const callbackURL of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)', ''])
      expect((await requestChange(tab, createEmail(), { callbackURL })).code).toBe('INVALID_CALLBACK_URL')
    await app.drainMail()
    expect(app.outbox.to(tab.person.email)).toEqual([])
    const newEmail = createEmail()
    await requestChange(tab, newEmail, { callbackURL: '/settings?saved=1' })
    await app.drainMail()
    expect(app.outbox.lastTo(newEmail).link.searchParams.get('callbackURL')).toBe('/settings?saved=1')
  })

  test('T47: needs an authentication from the last 15 minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    expect((await requestChange(tab, createEmail())).status).toBe(200)
    clock.advance(1)
    const answer = await requestChange(tab, createEmail())
    expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  test('T31: gives the browser that opens the link a new token, and ends the old one at once', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    const before = tab.cookies.get('local-floorpass_session')
    const answer = await openLink(token, tab)
    expect(answer.setCookies).toHaveLength(1)
    expect(tab.cookies.get('local-floorpass_session')).not.toBe(before)
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
  })

  test('opens no session when the link is opened signed out', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    const signedOut = app.browser()
    expect((await openLink(token, signedOut)).setCookies).toEqual([])
    expect((await signedOut.get('/auth/get-session')).body).toBeNull()
  })

  test("INVALID_USER: refuses the link in another user's session without using it up", async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    const { token, newEmail } = await requestChangeLink(tab)
    const answer = await openLink(token, other)
    expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_USER', message: 'Invalid user' }])
    expect(await getEmail(tab)).toEqual([tab.person.email, true])
    expect((await openLink(token, tab)).status).toBe(200)
    expect(await getEmail(tab)).toEqual([newEmail, true])
  })

  test('T92: takes effect once for twenty parallel uses', async () => {
    const tab = await app.signedIn()
    const { token, newEmail } = await requestChangeLink(tab)
    const answers = await Promise.all(Array.from({ length: 20 }, () => openLink(token)))
    const outcomes = new Set(answers.map(({ status, code }) => `${status} ${code}`))
    expect([...outcomes].every((outcome) => ['200 undefined', '400 INVALID_TOKEN'].includes(outcome))).toBe(true)
    expect(answers.filter(({ body }) => (body as { user?: unknown }).user).length).toBe(1)
    expect(await getEmail(tab)).toEqual([newEmail, true])
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'change-email' } })).toBe(1)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email).filter(({ link }) => link.pathname === '/undo-email-change')).toHaveLength(1)
  })

  test('T100: succeeds again without effect when the link is opened twice', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    await openLink(token)
    const secondAnswer = await openLink(token)
    expect([secondAnswer.status, secondAnswer.body, secondAnswer.setCookies]).toEqual([200, { status: true, user: null }, []])
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'change-email' } })).toBe(1)
  })

  test('T94: accepts the link for an hour, and not a second longer', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const [first, second] = [await requestChangeLink(early), await requestChangeLink(late)]
    clock.advance(3599)
    expect((await openLink(first.token)).status).toBe(200)
    clock.advance(1)
    const answer = await openLink(second.token)
    expect([answer.status, answer.code]).toEqual([400, 'TOKEN_EXPIRED'])
    expect(await getEmail(late)).toEqual([late.person.email, true])
  })

  test('makes the older link stop working when a newer change is requested', async () => {
    const tab = await app.signedIn()
    const [older, newer] = [await requestChangeLink(tab), await requestChangeLink(tab)]
    const answer = await openLink(older.token)
    expect([answer.status, answer.body]).toEqual(invalid)
    expect((await openLink(newer.token)).status).toBe(200)
    expect(await getEmail(tab)).toEqual([newer.newEmail, true])
  })

  test('T98: lets one of two parallel changes win, with one working link', async () => {
    const tab = await app.signedIn()
    const addresses = [createEmail(), createEmail()]
    await Promise.all(addresses.map((address) => requestChange(tab, address)))
    await app.drainMail()
    const answers = await Promise.all(addresses.map((address) => openLink(app.outbox.lastTo(address).token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(1)
    expect(await getEmail(tab)).toEqual([addresses[answers.findIndex(({ status }) => status === 200)], true])
  })

  test('T83: takes no email from a later sign-up, verified or not, when the link is opened signed out', async () => {
    const signInFirst = [401, { code: 'UNAUTHORIZED', message: 'Unauthorized' }]
    for (const [join, squatted, refused] of [
      [app.signUp, false, signInFirst],
      [app.verified, false, invalid],
      [app.signUp, true, signInFirst],
    ] as const) {
      const tab = await app.signedIn()
      const newEmail = createEmail()
      const squatter = squatted ? await signUpLongAgo(app.person({ email: newEmail })) : null
      const { token } = await requestChangeLink(tab, newEmail)
      const owner = await join(app.person({ email: newEmail }))
      const answer = await openLink(token)
      expect([answer.status, answer.body]).toEqual(refused)
      expect(await getEmail(tab)).toEqual([tab.person.email, true])
      expect(await app.db.user.findUniqueOrThrow({ where: { email: newEmail } })).toMatchObject({
        name: squatter ? newEmail.split('@')[0] : owner.name,
      })
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('gives an email to one of two people who confirm it in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await app.signedIn(), await app.signedIn()]
      const address = createEmail()
      const first = await requestChangeLink(one, address)
      const second = await requestChangeLink(other, address)
      const answers = await Promise.all([openLink(first.token), openLink(second.token)])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('T99: makes open links of the former email stop working', async () => {
    const tab = await app.signedIn()
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.drainMail()
    const resetToken = app.outbox.lastTo(tab.person.email).token
    await tab.post('/auth/delete-user')
    await app.drainMail()
    const deletion = app.outbox.lastTo(tab.person.email).token
    await openLink((await requestChangeLink(tab)).token, tab)
    const reset = await app.browser().post('/auth/reset-password', { token: resetToken, newPassword: 'violet harbor ladder' })
    expect([reset.status, reset.body]).toEqual(invalid)
    expect((await tab.post('/auth/delete-user', { token: deletion })).code).toBe('EMAIL_RECENTLY_CHANGED')
    await app.db.verification.deleteMany({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
    expect((await tab.post('/auth/delete-user', { token: deletion })).code).toBe('INVALID_TOKEN')
  })

  test('T38: stops when the password changes', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' })
    const answer = await openLink(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T39: keeps the email of a suspended account', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
    const answer = await openLink(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T177: seals the former email and hashes the token in the pending row', async () => {
    const tab = await app.signedIn()
    const { token } = await requestChangeLink(tab)
    const rows = await app.db.verification.findMany({ where: { userId: tab.userId, purpose: 'change-email' } })
    expect(JSON.stringify(rows)).not.toContain(tab.person.email)
    expect(JSON.stringify(await app.readAllRows())).not.toContain(token)
  })
})

describe('change-email with rate limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('allows one person five requests an hour', async () => {
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 12 }, () => requestChange(tab, limited.person().email)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7)
  })
})
