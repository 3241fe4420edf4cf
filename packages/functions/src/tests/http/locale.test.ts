import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'
import { localeCookie, preferredLocale } from '../../http/locale.ts'

const app = await createTestApp()

describe('the locale of a request', () => {
  test.each([
    [undefined, undefined, 'en'],
    [undefined, 'tlh, fr;q=0.5, en;q=0.4', 'fr'],
    [undefined, 'en;q=0.4, fr;q=0', 'en'],
    ['fr', 'en', 'fr'],
    ['en', 'fr', 'en'],
    ['klingon', 'fr', 'fr'],
    ['', 'fr-CA', 'fr'],
  ] as const)('a cookie %j and Accept-Language %j make %s', (cookie, acceptLanguage, locale) => {
    expect(preferredLocale(cookie, acceptLanguage)).toBe(locale)
  })

  test('has a cookie that scripts cannot read, and that is secure on https', () => {
    expect(localeCookie('fr', true)).toBe('__Host-floorpass_locale=fr; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure')
    expect(localeCookie('en', false)).toBe('floorpass_locale=en; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax')
  })

  test('selects the language of the mails at sign-up', async () => {
    const person = app.person()
    const headers = { cookie: 'floorpass_locale=fr; locale=en', 'accept-language': 'en' }
    expect((await app.browser().post('/auth/sign-up/email', person, { headers })).status).toBe(200)
    await app.drainMail()
    expect(await app.db.user.findUnique({ where: { email: person.email } })).toMatchObject({ locale: 'fr' })
  })

  test('a stored language that this version does not have reads as English', async () => {
    const tab = await app.signedIn()
    await app.db.user.update({ where: { email: tab.person.email }, data: { locale: 'tlh' } })
    const headers = { 'accept-language': 'fr' }
    expect((await tab.post('/auth/forget-password', { email: tab.person.email }, { headers })).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email).at(-1)?.html).toContain('<html lang="en">')
  })
})
