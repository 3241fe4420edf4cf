import { outcome } from '@floorpass/testing/browser'
import { describe, expect, test } from 'vitest'
import { app, differs, makeStale, readSession, signIn } from './suite.ts'

describe('the profile (routes/update-user)', () => {
  test('takes a name and a picture, and drops the picture', async () => {
    const tab = await app.signedIn()
    const image = 'https://pictures.example.test/ada.png'
    expect((await tab.post('/auth/update-user', { name: 'New name', image })).body).toEqual({ status: true })
    expect((await readSession(tab))?.user).toMatchObject({ name: 'New name', image })
    await tab.post('/auth/update-user', { image: null })
    expect((await readSession(tab))?.user.image).toBeNull()
  })

  test('keeps the fields that are not named', async () => {
    const tab = await app.signedIn()
    await tab.post('/auth/update-user', { riskLevel: 'moderate' })
    await tab.post('/auth/update-user', { name: 'New name' })
    expect((await readSession(tab))?.user.riskLevel).toBe('moderate')
  })

  test('names a field that only the service sets', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/auth/update-user', { twoFactorEnabled: true })
    expect(answer.body).toMatchObject({ code: 'FIELD_NOT_ALLOWED', message: 'twoFactorEnabled is not allowed to be set' })
    expect((await readSession(tab))?.user.twoFactorEnabled).toBe(false)
  })
})

describe('deleting an account (routes/update-user)', () => {
  const deletes = 'What deleting needs'

  /** A signed-in user who asked for the mailed link. */
  async function leaving() {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/delete-user')).body).toEqual({ success: true, message: 'Verification email sent' })
    await app.drainMail()
    return { tab, token: app.outbox.lastTo(tab.person.email).token }
  }

  test('ends every session of the user', async () => {
    const tab = await app.signedIn()
    const other = await signIn(tab.person)
    expect((await tab.post('/auth/delete-user', { password: tab.person.password })).body).toMatchObject({ success: true })
    expect([await readSession(tab), await readSession(other.tab)]).toEqual([null, null])
    expect(await app.db.user.count({ where: { id: tab.userId } })).toBe(0)
  })

  test('is done by a mailed token, and the session goes on until then', async () => {
    const { tab, token } = await leaving()
    expect(token.length).toBeGreaterThanOrEqual(32)
    expect(await readSession(tab)).not.toBeNull()
    expect((await tab.post('/auth/delete-user', { token })).body).toMatchObject({ success: true })
    expect(await readSession(tab)).toBeNull()
  })

  test('is done once when a token is used twice at the same moment', async () => {
    const { tab, token } = await leaving()
    const twin = app.browser()
    for (const [name, value] of tab.cookies) twin.cookies.set(name, value)
    const answers = await Promise.all([tab, twin].map((browser) => browser.post('/auth/delete-user', { token })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('does not work with a token and a revoked session', async () => {
    const { tab, token } = await leaving()
    const { tab: other } = await signIn(tab.person)
    await other.post('/auth/revoke-other-sessions')
    expect((await tab.get(`/auth/delete-user/callback?token=${token}`)).status).toBe(404)
    expect((await tab.post('/auth/delete-user', { token })).status).toBe(401)
    expect(await readSession(other)).not.toBeNull()
  })

  differs(deletes, 'takes more than a fresh session', async () => {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/delete-user')).body).toEqual({ success: true, message: 'Verification email sent' })
    expect(await readSession(tab)).not.toBeNull()
  })

  differs(deletes, 'sends no link to a session that is not fresh', async () => {
    const tab = await app.signedIn()
    await makeStale(tab.userId)
    expect(outcome(await tab.post('/auth/delete-user'))).toEqual([403, 'SESSION_NOT_FRESH'])
  })
})
