import { outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { describe, expect, test } from 'vitest'
import { app, differs, readSession, signIn } from './suite.ts'

const send = (email: string, callbackURL?: string) =>
  app.browser().post('/auth/send-verification-email', { email, ...(callbackURL && { callbackURL }) })
const verify = (token: string, query = '') => app.browser().get(`/auth/verify-email?token=${token}${query}`)
const lastMail = async (email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email)
}

describe('a link that verifies an email (routes/email-verification)', () => {
  test('is sent again on request, and verifies', async () => {
    const person = await app.signUp()
    expect((await send(person.email)).body).toEqual({ status: true })
    const { token } = await lastMail(person.email)
    expect(app.outbox.to(person.email)).toHaveLength(2)
    const answer = await verify(token)
    expect([answer.status, answer.body, answer.setCookies]).toEqual([200, { status: true, user: null }, []])
    const { tab } = await signIn(person)
    expect((await readSession(tab))?.user.emailVerified).toBe(true)
  })

  test('may be followed again', async () => {
    const person = await app.signUp()
    const { token } = app.outbox.lastTo(person.email)
    expect([(await verify(token)).status, (await verify(token)).status]).toEqual([200, 200])
  })

  test('expires', async () => {
    const clock = holdClock()
    const { email } = await app.signUp()
    const { token } = app.outbox.lastTo(email)
    clock.advance(24 * 3600 + 1)
    expect((await verify(token)).code).toBe('TOKEN_EXPIRED')
  })

  test.each([
    'https://trade.example.test/app?redirect=/dashboard&tab=settings',
    '/sign-in?verifiedEmail=test%2Buser%40example.test',
  ])('keeps the address that it leads to: %s', async (callbackURL) => {
    const { email } = await app.signUp()
    await send(email, callbackURL)
    const { link } = await lastMail(email)
    expect(link.searchParams.get('callbackURL')).toBe(callbackURL)
  })

  differs('`GET /verify-email` with a callbackURL', 'answers a program without a redirect', async () => {
    const { email } = await app.signUp()
    const answer = await verify(app.outbox.lastTo(email).token, '&callbackURL=/callback')
    expect([answer.status, answer.headers.get('location'), answer.body]).toEqual([200, null, { status: true, user: null }])
  })

  test('is not sent for a verified address, nor for an unknown one', async () => {
    const { email } = await app.verified()
    await app.drainMail()
    const before = app.outbox.mails.length
    for (const address of [email, 'unknown@example.test']) expect((await send(address)).body).toEqual({ status: true })
    await app.drainMail()
    expect(app.outbox.mails).toHaveLength(before)
  })

  test('knows the own address of a signed-in user in any case', async () => {
    const tab = await app.signedIn()
    const ask = (email: string) => tab.post('/auth/send-verification-email', { email })
    expect(outcome(await ask(tab.person.email.toUpperCase()))).toEqual([400, 'EMAIL_ALREADY_VERIFIED'])
    expect(outcome(await ask('other@example.test'))).toEqual([400, 'EMAIL_MISMATCH'])
  })
})

describe('changing an email (routes/update-user, routes/email-verification)', () => {
  test('waits for the link to the new address, then keeps password, id and session', async () => {
    const tab = await app.signedIn()
    const newEmail = app.person().email
    expect((await tab.post('/auth/change-email', { newEmail, callbackURL: '/dashboard?tab=settings&from=email' })).body).toEqual({
      status: true,
    })
    expect((await readSession(tab))?.user.email).toBe(tab.person.email)
    const { link, token } = await lastMail(newEmail)
    expect([link.searchParams.get('callbackURL'), link.searchParams.get('from')]).toEqual([
      '/dashboard?tab=settings&from=email',
      null,
    ])
    expect((await tab.get(`/auth/verify-email?token=${token}`)).body).toMatchObject({ status: true })
    expect((await readSession(tab))?.user).toMatchObject({ id: tab.userId, email: newEmail, emailVerified: true })
    expect((await signIn(tab.person)).status).toBe(401)
    expect((await signIn({ ...tab.person, email: newEmail })).body).toMatchObject({ user: { id: tab.userId } })
    expect((await tab.get('/auth/list-accounts')).body).toEqual([
      expect.objectContaining({ providerId: 'credential', accountId: tab.userId }),
    ])
  })

  test('answers alike for a taken address, and changes nothing', async () => {
    const [tab, owner] = [await app.signedIn(), await app.verified()]
    const ask = (newEmail: string) => tab.post('/auth/change-email', { newEmail })
    const [taken, free] = [await ask(owner.email), await ask(app.person().email)]
    expect([taken.status, taken.body]).toEqual([free.status, free.body])
    expect((await readSession(tab))?.user.email).toBe(tab.person.email)
  })
})
