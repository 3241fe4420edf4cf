import { createTestApp } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const name = (tab: Tab, token: string, nickname: unknown) => tab.post('/auth/name-session', { token, nickname })
const nicknamesOf = async (tab: Tab) =>
  ((await tab.get('/auth/list-sessions')).body as { nickname: string | null }[]).map(({ nickname }) => nickname)

describe('name-session', () => {
  test('names the device of any session of the caller, renames it and removes the name', async () => {
    const tab = await app.signedIn()
    const other = app.browser()
    await other.post('/auth/sign-in/email', tab.person)
    const answer = await name(tab, await handleOf(other), '  My phone ')
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect(await nicknamesOf(tab)).toEqual(['My phone', null])
    await name(tab, await handleOf(other), 'Téléphone 📱')
    expect(await nicknamesOf(tab)).toEqual(['Téléphone 📱', null])
    await name(tab, await handleOf(other), null)
    expect(await nicknamesOf(tab)).toEqual([null, null])
  })

  test('records that a device was named, without the name', async () => {
    const tab = await app.signedIn()
    await name(tab, await handleOf(tab), 'My laptop')
    const [event] = await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: 'name-session' } })
    expect(event).toMatchObject({ succeeded: true, details: null })
  })

  test('keeps the name out of get-session, and puts it into the export', async () => {
    const tab = await app.signedIn()
    await name(tab, await handleOf(tab), 'My laptop')
    expect(JSON.stringify((await tab.get('/auth/get-session')).body)).not.toContain('My laptop')
    expect(JSON.stringify((await tab.get('/auth/export-data')).body)).toContain('My laptop')
  })

  test('answers alike for an unknown session, an ended one and the session of another user', async () => {
    const tab = await app.signedIn()
    const neighbour = await app.signedIn()
    const ended = app.browser()
    await ended.post('/auth/sign-in/email', tab.person)
    const endedHandle = await handleOf(ended)
    await app.db.session.updateMany({ where: { handle: endedHandle }, data: { expiresAt: new Date(0) } })
    for (const token of ['unknown', await handleOf(neighbour), endedHandle]) {
      const answer = await name(tab, token, 'Mine')
      expect([answer.status, answer.body]).toEqual([404, { code: 'SESSION_NOT_FOUND', message: 'Session not found' }])
    }
    expect(await nicknamesOf(neighbour)).toEqual([null])
  })

  test.each(['', '   ', 'a'.repeat(51), 'a\u0000', 'Mine\u202e', 5, undefined, ['Mine']])(
    'refuses the name %j',
    async (nickname) => {
      const tab = await app.signedIn()
      const answer = await name(tab, await handleOf(tab), nickname)
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(await nicknamesOf(tab)).toEqual([null])
    },
  )

  test('accepts fifty characters', async () => {
    const tab = await app.signedIn()
    expect((await name(tab, await handleOf(tab), 'a'.repeat(50))).status).toBe(200)
  })

  test('needs a session', async () => {
    expect((await app.browser().post('/auth/name-session', { token: 'any', nickname: 'Mine' })).status).toBe(401)
  })
})
