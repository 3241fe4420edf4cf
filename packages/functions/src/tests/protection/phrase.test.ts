import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
const phrase = 'Blue heron at dawn'

const setPhrase = async (tab: SignedIn, text: string | null) =>
  outcome(await tab.post('/auth/protection/set-phrase', { phrase: text }))
const lastMail = async ({ person: { email } }: SignedIn) => {
  await app.drainMail()
  return app.outbox.lastTo(email)
}
const reset = ({ person: { email } }: SignedIn) => app.browser().post('/auth/forget-password', { email })

describe('the phrase', () => {
  test('is in every mail to its owner, as HTML and as text', async () => {
    const tab = await app.signedIn()
    expect(await setPhrase(tab, phrase)).toEqual([200, undefined])
    await reset(tab)
    const { text, html } = await lastMail(tab)
    expect(text).toContain(`Your phrase: ${phrase}`)
    expect(html).toContain(`Your phrase: ${phrase}`)
    expect((await tab.get('/auth/protection/get')).body).toMatchObject({ phrase })
  })

  test('is the former one in the mail about its change, and is gone after its removal', async () => {
    const tab = await app.signedIn()
    await setPhrase(tab, 'First words')
    await setPhrase(tab, 'Second words')
    const { subject, text } = await lastMail(tab)
    expect(subject).toBe('The phrase in your Floorpass emails was changed')
    expect(text).toContain('First words')
    expect(text).not.toContain('Second words')
    await setPhrase(tab, null)
    await reset(tab)
    expect((await lastMail(tab)).text).not.toContain('Your phrase')
  })

  test('is in no mail to an address that someone else may have entered', async () => {
    const tab = await app.signedIn()
    await setPhrase(tab, phrase)
    const { email: newEmail } = app.person()
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    expect(app.outbox.lastTo(newEmail).text).not.toContain(phrase)
    expect((await lastMail(tab)).text).toContain(phrase)
  })

  test('is in the last mail, about the deletion of the account', async () => {
    const tab = await app.signedIn()
    await setPhrase(tab, phrase)
    await tab.post('/auth/delete-user', { password: tab.person.password })
    const { subject, text } = await lastMail(tab)
    expect(subject).toBe('Your Floorpass account was deleted')
    expect(text).toContain(phrase)
  })

  test('is stored sealed, and in no log', async () => {
    const tab = await app.signedIn()
    await setPhrase(tab, 'Quiet orchard under snow')
    await app.drainMail()
    expect(JSON.stringify(await app.readAllRows())).not.toContain('Quiet orchard')
  })

  test.each([
    '',
    ' ',
    'x'.repeat(81),
    'visit evil.com',
    'пример.рф',
    'evil。com',
    'evil．com',
    'a@b',
    'https://evil',
    'two\nlines',
    '<b>',
    'a\u202eb',
  ])('refuses %j', async (text) => {
    const tab = await app.signedIn()
    expect(await setPhrase(tab, text)).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('may have 80 characters', async () => {
    expect(await setPhrase(await app.signedIn(), 'x'.repeat(80))).toEqual([200, undefined])
  })

  test('needs a recent reauthentication', async () => {
    const tab = await app.signedIn()
    await app.db.session.updateMany({
      where: { userId: tab.userId },
      data: { createdAt: new Date(Date.now() - 16 * 60_000), authenticatedAt: null },
    })
    expect(await setPhrase(tab, phrase)).toEqual([403, 'SESSION_NOT_FRESH'])
  })
})
