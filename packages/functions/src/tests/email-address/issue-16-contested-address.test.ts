import type { Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
type App = typeof app
type Tab = Awaited<ReturnType<App['signedIn']>>

const ask = (tab: Tab, newEmail: string) => tab.post('/auth/change-email', { newEmail })
const follow = (token: string | undefined, tab: Pick<Browser, 'post'> = app.browser()) =>
  tab.post('/auth/verify-email', { token })
const addressOf = async ({ userId }: Tab, { db }: App = app) => (await db.user.findUniqueOrThrow({ where: { id: userId } })).email
const changeLinkTo = async (email: string, { mailed, outbox }: App = app) => {
  await mailed()
  return outbox.to(email).findLast(({ link }) => link.searchParams.get('purpose') === 'change')?.token
}
/** Sign-ups with one address that are never verified, each with a different password. */
const signUpAgainAndAgain = async (email: string, times = 3) => {
  for (let round = 0; round < times; round += 1) await app.signUp(app.person({ email }))
}

describe('a change to an address that others keep signing up with', () => {
  test('succeeds for the mailbox owner when sign-ups come before the request, before the link or during the click', async () => {
    const tab = await app.signedIn()
    const { email } = app.person()
    await signUpAgainAndAgain(email)
    expect((await ask(tab, email)).body).toEqual({ status: true })
    await signUpAgainAndAgain(email)
    const token = await changeLinkTo(email)
    expect(token).toBeDefined()
    await signUpAgainAndAgain(email)

    const [answer] = await Promise.all([follow(token, tab), signUpAgainAndAgain(email)])
    expect([answer.status, answer.body]).toMatchObject([200, { user: { id: tab.userId, email, emailVerified: true } }])
    expect(await app.db.user.findMany({ where: { email } })).toMatchObject([{ id: tab.userId }])
    expect(app.unforeseen()).toEqual([])
  })

  test('finds the same link good after a sign-in, when it was followed signed out first', async () => {
    const tab = await app.signedIn()
    const { email } = app.person()
    await ask(tab, email)
    await signUpAgainAndAgain(email)
    const token = await changeLinkTo(email)
    const later = app.browser()
    for (let round = 0; round < 3; round += 1) expect((await follow(token, later)).code).toBe('UNAUTHORIZED')
    await later.post('/auth/sign-in/email', tab.person)
    expect((await follow(token, later)).status).toBe(200)
    expect(await addressOf(tab)).toBe(email)
  })

  test('ends the sign-up with its password and its links, also when the same person did both', async () => {
    const tab = await app.signedIn()
    const signUp = await app.signUp()
    const { token: signUpLink } = app.outbox.lastTo(signUp.email)
    await ask(tab, signUp.email)
    expect((await follow(await changeLinkTo(signUp.email), tab)).status).toBe(200)
    expect((await follow(signUpLink)).code).toBe('INVALID_TOKEN')
    expect((await app.browser().post('/auth/sign-in/email', signUp)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
    const kept = { email: signUp.email, password: tab.person.password }
    expect((await app.browser().post('/auth/sign-in/email', kept)).status).toBe(200)
  })
})

describe('T83: a link that an attacker asked for', () => {
  test('does not move the victim’s address while the link that was mailed again for the sign-up works', async () => {
    const attacker = await app.signedIn()
    const victim = await app.signUp()
    const dayAndHalfAgo = new Date(Date.now() - 36 * 3_600_000)
    await app.db.user.update({ where: { email: victim.email }, data: { updatedAt: dayAndHalfAgo } })
    await app.browser().post('/auth/send-verification-email', { email: victim.email })
    await ask(attacker, victim.email)
    expect((await follow(await changeLinkTo(victim.email))).code).toBe('UNAUTHORIZED')
    expect(await app.db.user.count({ where: { email: victim.email, emailVerified: false } })).toBe(1)
  })

  test.each(['before', 'after'] as const)(
    'does not move the victim’s address when they signed up %s it was sent',
    async (time) => {
      const attacker = await app.signedIn()
      const victim = app.person()
      if (time === 'before') await app.signUp(victim)
      const signUpLink = () => app.outbox.to(victim.email).find(({ link }) => !link.searchParams.has('purpose'))?.token
      await ask(attacker, victim.email)
      if (time === 'after') await app.signUp(victim)
      const token = await changeLinkTo(victim.email)
      expect((await follow(token)).code).toBe('UNAUTHORIZED')
      expect((await follow(token, await app.signedIn())).code).toBe('INVALID_USER')

      expect((await follow(signUpLink())).status).toBe(200)
      for (const tab of [app.browser(), attacker]) expect((await follow(token, tab)).code).toBe('INVALID_TOKEN')
      expect(await addressOf(attacker)).toBe(attacker.person.email)
      const tab = app.browser()
      expect((await tab.post('/auth/sign-in/email', victim)).status).toBe(200)
      expect((await follow(token, tab)).code).toBe('INVALID_USER')
      expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email: victim.email, name: victim.name } })
    },
  )

  test('names the account that asked, masked', async () => {
    const attacker = await app.signedIn()
    const { email } = app.person()
    await ask(attacker, email)
    await app.mailed()
    const { text, html } = app.outbox.lastTo(email)
    expect(text).toContain('for the Floorpass account a•••@e•••.test')
    expect(text + html).not.toContain(attacker.person.email)
  })

  test('works for a signed-in browser only as long as that session lives', async () => {
    const tab = await app.signedIn()
    const { email } = await app.signUp()
    await ask(tab, email)
    const token = await changeLinkTo(email)
    await app.db.session.deleteMany({ where: { userId: tab.userId } })
    expect((await follow(token, tab)).code).toBe('UNAUTHORIZED')
    expect(await addressOf(tab)).toBe(tab.person.email)
  })
})

test.each([
  ['imported', { importedAt: new Date() }],
  ['suspended', { suspendedAt: new Date() }],
] as const)('an unverified account that was %s keeps its address', async (_, data) => {
  const tab = await app.signedIn()
  const asked = app.person().email
  await ask(tab, asked)
  const token = await changeLinkTo(asked)
  for (const email of [app.person().email, asked]) {
    await app.db.user.create({ data: { name: 'Kept', email, ...data } })
    if (email !== asked) {
      const other = await app.signedIn()
      expect((await ask(other, email)).body).toEqual({ status: true })
      await app.mailed()
      expect(app.outbox.to(email)).toEqual([])
    }
  }
  for (const browser of [tab, app.browser()]) expect((await follow(token, browser)).code).toBe('INVALID_TOKEN')
  expect(await app.db.user.findMany({ where: { email: asked } })).toMatchObject([{ name: 'Kept' }])
})

test('sign-ups that use up the mails to an address leave those of a change', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const tab = await limited.signedIn()
  const { email } = limited.person()
  for (let round = 0; round < 7; round += 1)
    await limited.browser({ ip: `192.0.2.${round}` }).post('/auth/sign-up/email', limited.person({ email }))
  await ask(tab, email)
  const token = await changeLinkTo(email, limited)
  expect((await follow(token, tab)).status).toBe(200)
  expect(await addressOf(tab, limited)).toBe(email)
})
