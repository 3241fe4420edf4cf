import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ BASE_URL: 'https://localhost:4443' })
const name = '__Host-floorpass_session'

// Browsers protect the exact prefix only, so a sub-domain may set any of these names.
const lookalikes = ['\u00a0', '\u000b', '\u000c', '\u00a0 \u00a0'].flatMap((space) => [space + name, name + space])

describe('T141: a cookie named like the session cookie with odd whitespace', () => {
  test.each(lookalikes)('opens no session: %j', async (planted) => {
    const attacker = await app.signedIn()
    const victim = app.browser()
    victim.cookies.set(planted, attacker.cookies.get(name) ?? '')
    for (const path of ['/auth/get-session', '/auth/get-session?by=edge']) expect((await victim.get(path)).body).toBeNull()
    expect((await victim.get('/auth/list-sessions')).code).toBe('UNAUTHORIZED')
  })

  test.each(lookalikes)('neither hides nor ends the real session: %j', async (planted) => {
    const attacker = await app.signedIn()
    const victim = await app.signedIn()
    victim.cookies.set(planted, attacker.cookies.get(name) ?? '')
    expect((await victim.get('/auth/get-session')).body).toMatchObject({ user: { email: victim.person.email } })
    expect((await victim.post('/auth/sign-out')).status).toBe(200)
    expect(await app.db.session.count({ where: { userId: attacker.userId } })).toBe(1)
    expect(await app.db.session.count({ where: { userId: victim.userId } })).toBe(0)
  })

  test('is the session cookie when the whitespace is only spaces and tabs', async () => {
    const { cookies, person } = await app.signedIn()
    const cookie = `theme=dark; \t ${name} \t= \t${cookies.get(name)}\t `
    const { body } = await app.browser().get('/auth/get-session', { headers: { cookie } })
    expect(body).toMatchObject({ user: { email: person.email } })
  })
})
