import { createResponseFloor } from '@floorpass/api'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const ask = (tab: Pick<Browser, 'post'>, newEmail: unknown, fields: Record<string, unknown> = {}) =>
  tab.post('/auth/change-email', { newEmail, ...fields })
const follow = (token: string | undefined, tab: Pick<Browser, 'post'> = app.browser()) =>
  tab.post('/auth/verify-email', { token })
/** Somebody signed up so long ago that the link could not be followed any more. */
const staleSignUp = async (person = app.person()) => {
  await app.signUp(person)
  await app.db.user.update({ where: { email: person.email }, data: { updatedAt: new Date(Date.now() - 25 * 3_600_000) } })
  return person
}
const freshAddress = () => app.person().email
/** Asks, and gives the link that went to the new address. */
const linkTo = async (tab: Tab, newEmail = freshAddress()) => {
  expect((await ask(tab, newEmail)).status).toBe(200)
  await app.mailed()
  return { newEmail, ...app.outbox.lastTo(newEmail) }
}
const addressOf = async ({ userId }: Tab) => {
  const { email, emailVerified } = await app.db.user.findUniqueOrThrow({ where: { id: userId } })
  return [email, emailVerified]
}
const signIn = (email: string, password: string) => app.browser().post('/auth/sign-in/email', { email, password })
const seen = ({ status, headers, body, setCookies }: Answer) => ({
  status,
  body,
  setCookies,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id')),
})
const invalid = [400, { code: 'INVALID_TOKEN', message: 'Invalid token' }]

describe('change-email', () => {
  test('T98: changes nothing before the link to the new address is followed; the old one is told at once', async () => {
    const tab = await app.signedIn()
    const { newEmail, token, link, subject } = await linkTo(tab)
    expect(await addressOf(tab)).toEqual([tab.person.email, true])
    expect([subject, link.origin + link.pathname]).toEqual([
      'Confirm your new email address for Floorpass',
      `${app.baseUrl}/verify-email`,
    ])
    const told = app.outbox.lastTo(tab.person.email)
    expect(told.subject).toBe('A new email address was asked for your Floorpass account')
    expect(told.text).toContain('a•••@e•••.test')
    for (const untold of [newEmail, token]) expect(told.text + told.html).not.toContain(untold)
    expect((await signIn(newEmail, tab.person.password)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await signIn(tab.person.email, tab.person.password)).status).toBe(200)

    const answer = await follow(token)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ status: true, user: { id: tab.userId, email: newEmail, emailVerified: true } })
    expect(await addressOf(tab)).toEqual([newEmail, true])
    expect((await signIn(newEmail, tab.person.password)).status).toBe(200)
    expect((await signIn(tab.person.email, tab.person.password)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: newEmail } })
    await app.mailed()
    const undo = app.outbox.lastTo(tab.person.email)
    expect([undo.subject, undo.link.origin + undo.link.pathname]).toEqual([
      'The email address of your Floorpass account was changed',
      `${app.baseUrl}/undo-email-change`,
    ])
    const actions = await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: { endsWith: 'email' } } })
    expect(actions.filter(({ action }) => action === 'change-email')).toHaveLength(1)
  })

  test('T8: a taken address gets the answer of a free one in the same time; only the mail differs', async () => {
    app.service.deps.responseFloor = createResponseFloor()
    const tab = await app.signedIn()
    const proved = await app.verified()
    const free = freshAddress()
    const mails = app.outbox.mails.length
    const answers: ReturnType<typeof seen>[] = []
    for (const address of [free, proved.email]) {
      const started = performance.now()
      answers.push(seen(await ask(tab, address)))
      expect(performance.now() - started).toBeGreaterThan(195)
    }
    expect(answers[0]).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    await app.mailed()
    const reached = app.outbox.mails.slice(mails).map(({ to }) => to)
    expect(reached.sort()).toEqual([free, ...Array(2).fill(tab.person.email)].sort())
  })

  test('T83: an address that somebody signed up with and did not prove in time is free: the change removes that sign-up', async () => {
    const squatter = await staleSignUp()
    const { token: squattersLink } = app.outbox.lastTo(squatter.email)
    const tab = await app.signedIn()
    const { token } = await linkTo(tab, squatter.email)
    expect((await follow(token)).status).toBe(200)
    expect(await addressOf(tab)).toEqual([squatter.email, true])
    expect((await signIn(squatter.email, squatter.password)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    expect((await follow(squattersLink)).code).toBe('INVALID_TOKEN')
    expect(await app.db.user.count({ where: { email: squatter.email } })).toBe(1)
  })

  test('T173: proving an address by sign-up and by change at once leaves it to one of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await staleSignUp()
      const { token: signUpLink } = app.outbox.lastTo(other.email)
      const tab = await app.signedIn()
      const { token } = await linkTo(tab, other.email)
      const answers = await Promise.all([follow(token), follow(signUpLink)])
      for (const { status, code } of answers)
        expect([200, undefined, 400, 'INVALID_TOKEN']).toEqual(expect.arrayContaining([status, code]))
      expect(await app.db.user.count({ where: { email: other.email, emailVerified: true } })).toBe(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('the own address is refused, in whatever case', async () => {
    const tab = await app.signedIn()
    for (const address of [tab.person.email, tab.person.email.toUpperCase()]) {
      const answer = await ask(tab, address)
      expect([answer.status, answer.body]).toEqual([400, { code: 'EMAIL_IS_THE_SAME', message: 'Email is the same' }])
    }
  })

  test('T121, T155, T171: what is no single address is 400', async () => {
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
      expect((await ask(tab, address)).code).toBe('VALIDATION_ERROR')
  })

  test('T63: a foreign callbackURL is refused, and nobody is mailed; an allowed one is in the link', async () => {
    const tab = await app.signedIn()
    for (const callbackURL of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)', ''])
      expect((await ask(tab, freshAddress(), { callbackURL })).code).toBe('INVALID_CALLBACK_URL')
    await app.mailed()
    expect(app.outbox.to(tab.person.email)).toHaveLength(1)
    const newEmail = freshAddress()
    await ask(tab, newEmail, { callbackURL: '/settings?saved=1' })
    await app.mailed()
    expect(app.outbox.lastTo(newEmail).link.searchParams.get('callbackURL')).toBe('/settings?saved=1')
  })

  test('T47: needs a proof from the last 15 minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    expect((await ask(tab, freshAddress())).status).toBe(200)
    clock.advance(1)
    const answer = await ask(tab, freshAddress())
    expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
  })

  test('T31: the browser that follows the link gets a new token, and the old one is refused at once', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    const before = tab.cookies.get('floorpass_session')
    const answer = await follow(token, tab)
    expect(answer.setCookies).toHaveLength(1)
    expect(tab.cookies.get('floorpass_session')).not.toBe(before)
    const old = await app.browser().get('/auth/get-session', { headers: { cookie: `floorpass_session=${before}` } })
    expect(old.body).toBeNull()
    expect((await tab.get('/auth/get-session')).body).not.toBeNull()
  })

  test('a browser that is signed out stays so', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    const stranger = app.browser()
    expect((await follow(token, stranger)).setCookies).toEqual([])
    expect((await stranger.get('/auth/get-session')).body).toBeNull()
  })

  test('INVALID_USER: somebody else who is signed in cannot follow it, and does not use it up', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    const { token, newEmail } = await linkTo(tab)
    const answer = await follow(token, other)
    expect([answer.status, answer.body]).toEqual([403, { code: 'INVALID_USER', message: 'Invalid user' }])
    expect(await addressOf(tab)).toEqual([tab.person.email, true])
    expect((await follow(token, tab)).status).toBe(200)
    expect(await addressOf(tab)).toEqual([newEmail, true])
  })

  test('T92: of twenty uses at once one takes effect', async () => {
    const tab = await app.signedIn()
    const { token, newEmail } = await linkTo(tab)
    const answers = await Promise.all(Array.from({ length: 20 }, () => follow(token)))
    const outcomes = new Set(answers.map(({ status, code }) => `${status} ${code}`))
    expect([...outcomes].every((outcome) => ['200 undefined', '400 INVALID_TOKEN'].includes(outcome))).toBe(true)
    expect(answers.filter(({ body }) => (body as { user?: unknown }).user).length).toBe(1)
    expect(await addressOf(tab)).toEqual([newEmail, true])
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'change-email' } })).toBe(1)
    await app.mailed()
    expect(app.outbox.to(tab.person.email).filter(({ link }) => link.pathname === '/undo-email-change')).toHaveLength(1)
  })

  test('T100: followed again it succeeds without effect', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    await follow(token)
    const again = await follow(token)
    expect([again.status, again.body, again.setCookies]).toEqual([200, { status: true, user: null }, []])
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'change-email' } })).toBe(1)
  })

  test('T94: it works for an hour, and not a second longer', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const [first, second] = [await linkTo(early), await linkTo(late)]
    clock.advance(3599)
    expect((await follow(first.token)).status).toBe(200)
    clock.advance(1)
    const answer = await follow(second.token)
    expect([answer.status, answer.code]).toEqual([400, 'TOKEN_EXPIRED'])
    expect(await addressOf(late)).toEqual([late.person.email, true])
  })

  test('a newer wish voids the older link', async () => {
    const tab = await app.signedIn()
    const [older, newer] = [await linkTo(tab), await linkTo(tab)]
    const answer = await follow(older.token)
    expect([answer.status, answer.body]).toEqual(invalid)
    expect((await follow(newer.token)).status).toBe(200)
    expect(await addressOf(tab)).toEqual([newer.newEmail, true])
  })

  test('T98: of two changes at once one wins, and one link works', async () => {
    const tab = await app.signedIn()
    const addresses = [freshAddress(), freshAddress()]
    await Promise.all(addresses.map((address) => ask(tab, address)))
    await app.mailed()
    const answers = await Promise.all(addresses.map((address) => follow(app.outbox.lastTo(address).token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(1)
    expect(await addressOf(tab)).toEqual([addresses[answers.findIndex(({ status }) => status === 200)], true])
  })

  test('T83: a link that is followed signed out does not take an address from a later sign-up, verified or not', async () => {
    const signInFirst = [401, { code: 'UNAUTHORIZED', message: 'Unauthorized' }]
    for (const [join, squatted, refused] of [
      [app.signUp, false, signInFirst],
      [app.verified, false, invalid],
      [app.signUp, true, signInFirst],
    ] as const) {
      const tab = await app.signedIn()
      const newEmail = freshAddress()
      const squatter = squatted ? await staleSignUp(app.person({ email: newEmail })) : null
      const { token } = await linkTo(tab, newEmail)
      const owner = await join(app.person({ email: newEmail }))
      const answer = await follow(token)
      expect([answer.status, answer.body]).toEqual(refused)
      expect(await addressOf(tab)).toEqual([tab.person.email, true])
      expect(await app.db.user.findUniqueOrThrow({ where: { email: newEmail } })).toMatchObject({
        name: squatter ? newEmail.split('@')[0] : owner.name,
      })
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('two people who prove one address at once: one has it, the other is refused, nothing breaks', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await app.signedIn(), await app.signedIn()]
      const address = freshAddress()
      const first = await linkTo(one, address)
      const second = await linkTo(other, address)
      const answers = await Promise.all([follow(first.token), follow(second.token)])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === 'INVALID_TOKEN')).toHaveLength(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('T99: the links that were open at the former address are dead', async () => {
    const tab = await app.signedIn()
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.mailed()
    const resetToken = app.outbox.lastTo(tab.person.email).token
    await tab.post('/auth/delete-user')
    await app.mailed()
    const deletion = app.outbox.lastTo(tab.person.email).token
    await follow((await linkTo(tab)).token, tab)
    const reset = await app.browser().post('/auth/reset-password', { token: resetToken, newPassword: 'violet harbor ladder' })
    expect([reset.status, reset.body]).toEqual(invalid)
    expect((await tab.post('/auth/delete-user', { token: deletion })).code).toBe('EMAIL_RECENTLY_CHANGED')
    await app.db.verification.deleteMany({ where: { userId: tab.userId, purpose: 'undo-email-change' } })
    expect((await tab.post('/auth/delete-user', { token: deletion })).code).toBe('INVALID_TOKEN')
  })

  test('T38: a password that was changed voids the link', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' })
    const answer = await follow(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T39: a suspended account keeps its address', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    await app.db.user.update({ where: { id: tab.userId }, data: { suspendedAt: new Date() } })
    const answer = await follow(token)
    expect([answer.status, answer.body]).toEqual(invalid)
  })

  test('T177: the former address in the pending link is sealed, and its token hashed', async () => {
    const tab = await app.signedIn()
    const { token } = await linkTo(tab)
    const rows = await app.db.verification.findMany({ where: { userId: tab.userId, purpose: 'change-email' } })
    expect(JSON.stringify(rows)).not.toContain(tab.person.email)
    expect(JSON.stringify(await app.everyRow())).not.toContain(token)
  })
})

describe('change-email under its limits', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('one person asks at most five times an hour', async () => {
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(tab, limited.person().email)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7)
  })
})
