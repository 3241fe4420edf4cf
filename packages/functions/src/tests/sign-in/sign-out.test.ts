import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

describe('sign-out', () => {
  test('T33: ends the session, so its cookie is refused on the next request', async () => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const answer = await tab.post('/auth/sign-out')
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    expect([...tab.cookies.keys()]).toEqual(['floorpass_known_device', 'floorpass_sign_in_method'])
    expect((await app.browser().get('/auth/get-session', { headers: { cookie } })).body).toBeNull()
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('T143: clears the cookie with the attributes that it was set with', async () => {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/sign-out')).setCookies).toEqual([
      'local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax',
    ])
  })

  test('succeeds when repeated, without a body, or signed out', async () => {
    const tab = await app.signedIn()
    const headers = { cookie: `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}` }
    for (const answer of [
      await app.browser().request('POST', '/auth/sign-out', { headers }),
      await app.browser().request('POST', '/auth/sign-out', { headers }),
      await app.browser().request('POST', '/auth/sign-out'),
      await app.browser().post('/auth/sign-out', {}, { headers: { cookie: 'local-floorpass_session=nonsense' } }),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, { success: true }])
    }
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'sign-out' } })).toBe(1)
  })

  test('T141: ends both sessions when the browser sends two session cookies', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const pair = (from: typeof tab) => `local-floorpass_session=${from.cookies.get('local-floorpass_session')}`
    for (const order of [
      [tab, other],
      [other, tab],
    ] as const) {
      const headers = { cookie: order.map(pair).join('; ') }
      const answer = await app.browser().post('/auth/sign-out', {}, { headers })
      expect([answer.status, answer.setCookies]).toEqual([
        200,
        ['local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax'],
      ])
    }
    for (const { userId } of [tab, other]) {
      expect(await app.db.session.count({ where: { userId } })).toBe(0)
      expect(await app.db.auditEvent.count({ where: { userId, action: 'sign-out' } })).toBe(1)
    }
  })

  test('T141: ends the real session when planted cookies come before it', async () => {
    const tab = await app.signedIn()
    const planted = Array<string>(12).fill('local-floorpass_session=planted')
    const headers = { cookie: [...planted, `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`].join('; ') }
    expect((await app.browser().post('/auth/sign-out', {}, { headers })).status).toBe(200)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test('ends this session only', async () => {
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
    await tab.post('/auth/sign-out')
    expect((await other.get('/auth/get-session')).body).toMatchObject({ user: { id: tab.userId } })
  })

  test('T191: answers an error and keeps the cookie when the session cannot be deleted', async () => {
    const broken = await createTestApp()
    const tab = await broken.signedIn()
    await broken.db.$executeRawUnsafe('ALTER TABLE sessions RENAME TO sessions_away')
    const answer = await tab.post('/auth/sign-out')
    expect([answer.status, answer.code, answer.setCookies]).toEqual([500, 'INTERNAL_SERVER_ERROR', []])
    await broken.db.$executeRawUnsafe('ALTER TABLE sessions_away RENAME TO sessions')
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { id: tab.userId } })
    expect((await tab.post('/auth/sign-out')).status).toBe(200)
  })
})
