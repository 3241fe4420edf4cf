import type { Browser } from '@floorpass/testing/browser'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const again = async ({ email, password }: Person) => {
  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  return tab
}
const isIn = async (tab: Browser) => (await tab.get('/auth/get-session')).body !== null
const events = (userId: string) => app.db.auditEvent.findMany({ where: { userId, action: 'revoke-session' } })
const done = [200, { status: true }]
const cleared = ['floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax']

describe('revoke-session', () => {
  test('T34: ends the named session at once, and no other', async () => {
    const tab = await app.signedIn()
    const [lost, kept] = [await again(tab.person), await again(tab.person)]
    expect(await isIn(lost)).toBe(true)
    const answer = await tab.post('/auth/revoke-session', { token: await handleOf(lost) })
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...done, []])
    expect((await lost.get('/auth/list-sessions')).code).toBe('UNAUTHORIZED')
    expect([await isIn(lost), await isIn(kept), await isIn(tab)]).toEqual([false, true, true])
    expect(await events(tab.userId)).toMatchObject([{ succeeded: true, details: { count: 1 } }])
  })

  test("this browser's own: its cookie is cleared too", async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/auth/revoke-session', { token: await handleOf(tab) })
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...done, cleared])
    expect(tab.cookies.has('floorpass_session')).toBe(false)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test("T35: somebody else's is the same answer as none at all, and stays open", async () => {
    const tab = await app.signedIn()
    const victim = await app.signedIn()
    const row = await app.db.session.findFirstOrThrow({ where: { userId: victim.userId } })
    for (const token of [row.handle, row.id, victim.cookies.get('floorpass_session'), victim.userId, 'nothing']) {
      const answer = await tab.post('/auth/revoke-session', { token })
      expect([answer.status, answer.body, answer.setCookies]).toEqual([...done, []])
    }
    expect([await isIn(victim), await isIn(tab)]).toEqual([true, true])
    expect([...(await events(tab.userId)), ...(await events(victim.userId))]).toEqual([])
  })

  test('neither the hash nor the secret of a session names it', async () => {
    const tab = await app.signedIn()
    const other = await again(tab.person)
    for (const { id } of await app.db.session.findMany({ where: { userId: tab.userId } }))
      await tab.post('/auth/revoke-session', { token: id })
    await tab.post('/auth/revoke-session', { token: other.cookies.get('floorpass_session') })
    expect([await isIn(tab), await isIn(other)]).toEqual([true, true])
  })

  test('T121: what is no handle is 400', async () => {
    const tab = await app.signedIn()
    for (const token of [undefined, null, '', 7, [], {}, 'a'.repeat(65)]) {
      const answer = await tab.post('/auth/revoke-session', { token })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('twenty at once for one session are all done, and one of them did it', async () => {
    const tab = await app.signedIn()
    const token = await handleOf(await again(tab.person))
    const answers = await Promise.all(Array.from({ length: 20 }, () => tab.post('/auth/revoke-session', { token })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await events(tab.userId)).toHaveLength(1)
  })

  test('two devices that end each other at once are both signed out', async () => {
    const one = await app.signedIn()
    const other = await again(one.person)
    const handles = [await handleOf(one), await handleOf(other)] as const
    const answers = await Promise.all([
      one.post('/auth/revoke-session', { token: handles[1] }),
      other.post('/auth/revoke-session', { token: handles[0] }),
    ])
    for (const { status } of answers) expect([200, 401]).toContain(status)
    expect(await app.db.session.count({ where: { userId: one.userId } })).toBeLessThan(2)
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

describe('revoke-sessions and revoke-other-sessions', () => {
  test('revoke-sessions ends all, this one too, and nobody else’s', async () => {
    const tab = await app.signedIn()
    const others = [await again(tab.person), await again(tab.person)]
    const stranger = await app.signedIn()
    const answer = await tab.post('/auth/revoke-sessions')
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...done, cleared])
    for (const other of [tab, ...others]) expect(await isIn(other)).toBe(false)
    expect(await isIn(stranger)).toBe(true)
    expect(await events(tab.userId)).toMatchObject([{ details: { count: 3 } }])
  })

  test('revoke-other-sessions keeps this one alone, and may find none', async () => {
    const tab = await app.signedIn()
    const stranger = await app.signedIn()
    expect((await tab.post('/auth/revoke-other-sessions')).body).toEqual({ status: true })
    expect(await events(tab.userId)).toEqual([])
    const others = [await again(tab.person), await again(tab.person)]
    const answer = await tab.post('/auth/revoke-other-sessions')
    expect([answer.status, answer.body]).toEqual(done)
    // This browser stays known to the account, all others are strangers to it now (ADR 019).
    expect(answer.setCookies).toMatchObject([expect.stringMatching(/^floorpass_known_device=[^;]+;/)])
    for (const other of others) expect(await isIn(other)).toBe(false)
    expect([await isIn(tab), await isIn(stranger)]).toEqual([true, true])
    expect(await events(tab.userId)).toMatchObject([{ details: { count: 2 } }])
  })

  test('two devices that end all others at once leave at most one, and nothing breaks', async () => {
    const one = await app.signedIn()
    const other = await again(one.person)
    await Promise.all([one.post('/auth/revoke-other-sessions'), other.post('/auth/revoke-other-sessions')])
    expect(await app.db.session.count({ where: { userId: one.userId } })).toBeLessThan(2)
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('a session that was revoked meanwhile can end nothing', async () => {
    const tab = await app.signedIn()
    const thief = await again(tab.person)
    await tab.post('/auth/revoke-other-sessions')
    for (const path of ['revoke-session', 'revoke-sessions', 'revoke-other-sessions'])
      expect((await thief.post(`/auth/${path}`, { token: await handleOf(tab) })).code).toBe('UNAUTHORIZED')
    expect(await isIn(tab)).toBe(true)
  })
})

describe('the number of sessions', () => {
  test('T49: the fifty-first sign-in ends the oldest session', async () => {
    const first = await app.signedIn()
    await app.db.session.updateMany({ where: { userId: first.userId }, data: { createdAt: new Date(Date.now() - 60_000) } })
    const second = await again(first.person)
    for (let count = 3; count <= 50; count += 1) await again(first.person)
    expect([await isIn(first), await isIn(second)]).toEqual([true, true])
    await again(first.person)
    expect([await isIn(first), await isIn(second)]).toEqual([false, true])
    expect(await app.db.session.count({ where: { userId: first.userId } })).toBe(50)
  })

  test('T49: sixty sign-ins at once keep to fifty', async () => {
    const person = await app.verified()
    await Promise.all(Array.from({ length: 60 }, () => again(person)))
    expect(await app.db.session.count({ where: { user: { email: person.email } } })).toBe(50)
  })
})
