import type { Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
type App = typeof app
type Tab = Awaited<ReturnType<App['signedIn']>>

const requestChange = (tab: Tab, newEmail: string) => tab.post('/auth/change-email', { newEmail })
const openLink = (token: string | undefined, tab: Pick<Browser, 'post'> = app.browser()) =>
  tab.post('/auth/verify-email', { token })
const getEmail = async ({ userId }: Tab, { db }: App = app) => (await db.user.findUniqueOrThrow({ where: { id: userId } })).email
const getChangeToken = async (email: string, { drainMail, outbox }: App = app) => {
  await drainMail()
  return outbox.to(email).findLast(({ link }) => link.searchParams.get('purpose') === 'change')?.token
}
/** Signs up several times with one email and different passwords, without verification. */
const signUpRepeatedly = async (email: string, times = 3) => {
  for (let round = 0; round < times; round += 1) await app.signUp(app.person({ email }))
}

describe('a change to an email that others keep signing up with', () => {
  test('succeeds for the mailbox owner when sign-ups come before the request, before the link or in parallel', async () => {
    const tab = await app.signedIn()
    const { email } = app.person()
    await signUpRepeatedly(email)
    expect((await requestChange(tab, email)).body).toEqual({ status: true })
    await signUpRepeatedly(email)
    const token = await getChangeToken(email)
    expect(token).toBeDefined()
    await signUpRepeatedly(email)

    const [answer] = await Promise.all([openLink(token, tab), signUpRepeatedly(email)])
    expect([answer.status, answer.body]).toMatchObject([200, { user: { id: tab.userId, email, emailVerified: true } }])
    expect(await app.db.user.findMany({ where: { email } })).toMatchObject([{ id: tab.userId }])
    expect(app.warnings()).toEqual([])
  })

  test('accepts the link after a sign-in, even when it was opened signed out first', async () => {
    const tab = await app.signedIn()
    const { email } = app.person()
    await requestChange(tab, email)
    await signUpRepeatedly(email)
    const token = await getChangeToken(email)
    const later = app.browser()
    for (let round = 0; round < 3; round += 1) expect((await openLink(token, later)).code).toBe('UNAUTHORIZED')
    await later.post('/auth/sign-in/email', tab.person)
    expect((await openLink(token, later)).status).toBe(200)
    expect(await getEmail(tab)).toBe(email)
  })

  test('ends the sign-up with its password and links, even when the same person made both', async () => {
    const tab = await app.signedIn()
    const signUp = await app.signUp()
    const { token: signUpLink } = app.outbox.lastTo(signUp.email)
    await requestChange(tab, signUp.email)
    expect((await openLink(await getChangeToken(signUp.email), tab)).status).toBe(200)
    expect((await openLink(signUpLink)).code).toBe('INVALID_TOKEN')
    expect((await app.browser().post('/auth/sign-in/email', signUp)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const kept = { email: signUp.email, password: tab.person.password }
    expect((await app.browser().post('/auth/sign-in/email', kept)).status).toBe(200)
  })
})

describe('T83: a link that an attacker requested', () => {
  test("does not move the victim's email while a newer sign-up link works", async () => {
    const attacker = await app.signedIn()
    const victim = await app.signUp()
    const dayAndHalfAgo = new Date(Date.now() - 36 * 3_600_000)
    await app.db.user.update({ where: { email: victim.email }, data: { updatedAt: dayAndHalfAgo } })
    await app.browser().post('/auth/send-verification-email', { email: victim.email })
    await requestChange(attacker, victim.email)
    expect((await openLink(await getChangeToken(victim.email))).code).toBe('UNAUTHORIZED')
    expect(await app.db.user.count({ where: { email: victim.email, emailVerified: false } })).toBe(1)
  })

  test.each(['before', 'after'] as const)(
    "does not move the victim's email when the victim signed up %s the request",
    async (time) => {
      const attacker = await app.signedIn()
      const victim = app.person()
      if (time === 'before') await app.signUp(victim)
      const signUpLink = () => app.outbox.to(victim.email).find(({ link }) => !link.searchParams.has('purpose'))?.token
      await requestChange(attacker, victim.email)
      if (time === 'after') await app.signUp(victim)
      const token = await getChangeToken(victim.email)
      expect((await openLink(token)).code).toBe('UNAUTHORIZED')
      expect((await openLink(token, await app.signedIn())).code).toBe('INVALID_USER')

      expect((await openLink(signUpLink())).status).toBe(200)
      for (const tab of [app.browser(), attacker]) expect((await openLink(token, tab)).code).toBe('INVALID_TOKEN')
      expect(await getEmail(attacker)).toBe(attacker.person.email)
      const tab = app.browser()
      expect((await tab.post('/auth/sign-in/email', victim)).status).toBe(200)
      expect((await openLink(token, tab)).code).toBe('INVALID_USER')
      expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: victim.email, name: victim.name } })
    },
  )

  test('names the requesting account, masked', async () => {
    const attacker = await app.signedIn()
    const { email } = app.person()
    await requestChange(attacker, email)
    await app.drainMail()
    const { text, html } = app.outbox.lastTo(email)
    expect(text).toContain('for the Floorpass account a•••@e•••.test')
    expect(text + html).not.toContain(attacker.person.email)
  })

  test('works only while the session of the browser lasts', async () => {
    const tab = await app.signedIn()
    const { email } = await app.signUp()
    await requestChange(tab, email)
    const token = await getChangeToken(email)
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    expect((await openLink(token, tab)).code).toBe('UNAUTHORIZED')
    expect(await getEmail(tab)).toBe(tab.person.email)
  })
})

test.each([
  ['imported', { importedAt: new Date() }],
  ['suspended', { suspendedAt: new Date() }],
] as const)('an unverified account that was %s keeps its email', async (_, data) => {
  const tab = await app.signedIn()
  const newEmail = app.person().email
  await requestChange(tab, newEmail)
  const token = await getChangeToken(newEmail)
  for (const email of [app.person().email, newEmail]) {
    await app.db.user.create({ data: { name: 'Kept', email, ...data } })
    if (email !== newEmail) {
      const other = await app.signedIn()
      expect((await requestChange(other, email)).body).toEqual({ status: true })
      await app.drainMail()
      expect(app.outbox.to(email)).toEqual([])
    }
  }
  for (const browser of [tab, app.browser()]) expect((await openLink(token, browser)).code).toBe('INVALID_TOKEN')
  expect(await app.db.user.findMany({ where: { email: newEmail } })).toMatchObject([{ name: 'Kept' }])
})

test('sign-ups that use up the mail limit of an email do not block a change to it', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  const { email } = limited.person()
  for (let round = 0; round < 7; round += 1)
    await limited.browser({ ip: `192.0.2.${round}` }).post('/auth/sign-up/email', limited.person({ email }))
  await requestChange(tab, email)
  const token = await getChangeToken(email, limited)
  expect((await openLink(token, tab)).status).toBe(200)
  expect(await getEmail(tab, limited)).toBe(email)
})
