import { describe, expect, test } from 'vitest'
import { createEdge } from '../../edge.ts'
import { createBrowser } from '../../test-support/browser.ts'
import { holdClock } from '../../test-support/clock.ts'
import { createTestApp } from '../../test-support/create-test-app.ts'

const app = await createTestApp()
const newPassword = 'violet harbor 77 quince'

describe('what a session was is not what it is', () => {
  test('a page that changes the user and then reads it sees the change', async () => {
    const edge = createEdge(app.service, async (_request, { api }) => {
      await api.sessions.get()
      await api.profile.update({ name: 'Changed' })
      return Response.json((await api.sessions.get())?.user.name)
    })
    const { cookies } = await app.signedIn()
    const tab = createBrowser(edge, app.baseUrl)
    for (const [name, value] of cookies) tab.cookies.set(name, value)
    expect((await tab.get('/settings/profile')).body).toBe('Changed')
  })

  test.each(['/auth/change-password', '/auth/delete-user'])(
    '%s by a session that ends meanwhile changes nothing',
    async (path) => {
      const tab = await app.signedIn()
      const { passwords } = app.service.deps
      const verify = passwords.verify
      passwords.verify = async (hash, password) => {
        await app.db.session.deleteMany({ where: { userId: tab.userId } })
        return verify(hash, password)
      }
      const { password } = tab.person
      const answer = await tab.post(path, { password, currentPassword: password, newPassword })
      passwords.verify = verify
      expect([answer.status, answer.code]).toEqual([401, 'UNAUTHORIZED'])
      expect((await app.browser().post('/auth/sign-in/email', tab.person)).status).toBe(200)
    },
  )

  test('confirming an address gives a new token, and makes the session no fresher', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const newEmail = app.person().email
    await tab.post('/auth/change-email', { newEmail })
    await app.mailed()
    clock.advance(50 * 60)
    const former = tab.cookies.get('floorpass_session')
    expect((await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })).status).toBe(200)
    expect(tab.cookies.get('floorpass_session')).not.toBe(former)
    clock.advance(23 * 3600)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).status).toBe(200)
    await tab.post('/auth/update-user', { tradingEnabled: false })
    clock.advance(15 * 60)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).code).toBe('SESSION_NOT_FRESH')
  })
})
