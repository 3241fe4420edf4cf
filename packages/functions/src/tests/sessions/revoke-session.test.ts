import { isSignedIn } from '@floorpass/testing/browser'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { handleOf } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const signInAgain = async ({ email, password }: Person) => {
  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  return tab
}
const getEvents = (userId: string) => app.db.auditEvent.findMany({ where: { userId, action: 'revoke-session' } })
const succeeded = [200, { status: true }]
const cleared = ['local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax']

describe('revoke-session', () => {
  test('T34: ends the named session at once and no other', async () => {
    const tab = await app.signedIn()
    const [lost, kept] = [await signInAgain(tab.person), await signInAgain(tab.person)]
    expect(await isSignedIn(lost)).toBe(true)
    const answer = await tab.post('/auth/revoke-session', { token: await handleOf(lost) })
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...succeeded, []])
    expect((await lost.get('/auth/list-sessions')).code).toBe('UNAUTHORIZED')
    expect([await isSignedIn(lost), await isSignedIn(kept), await isSignedIn(tab)]).toEqual([false, true, true])
    expect(await getEvents(tab.userId)).toMatchObject([{ succeeded: true, details: { count: 1 } }])
  })

  test('clears the cookie when the browser revokes its own session', async () => {
    const tab = await app.signedIn()
    const answer = await tab.post('/auth/revoke-session', { token: await handleOf(tab) })
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...succeeded, cleared])
    expect(tab.cookies.has('local-floorpass_session')).toBe(false)
    expect(await app.db.session.count({ where: { userId: tab.userId } })).toBe(0)
  })

  test("T35: answers alike for another user's session and an unknown one, and leaves it open", async () => {
    const tab = await app.signedIn()
    const victim = await app.signedIn()
    const row = await app.db.session.findFirstOrThrow({ where: { userId: victim.userId } })
    for (const token of [row.handle, row.id, victim.cookies.get('local-floorpass_session'), victim.userId, 'nothing']) {
      const answer = await tab.post('/auth/revoke-session', { token })
      expect([answer.status, answer.body, answer.setCookies]).toEqual([...succeeded, []])
    }
    expect([await isSignedIn(victim), await isSignedIn(tab)]).toEqual([true, true])
    expect([...(await getEvents(tab.userId)), ...(await getEvents(victim.userId))]).toEqual([])
  })

  test('does not accept the hash or the token of a session as its name', async () => {
    const tab = await app.signedIn()
    const other = await signInAgain(tab.person)
    for (const { id } of await app.db.session.findMany({ where: { userId: tab.userId } }))
      await tab.post('/auth/revoke-session', { token: id })
    await tab.post('/auth/revoke-session', { token: other.cookies.get('local-floorpass_session') })
    expect([await isSignedIn(tab), await isSignedIn(other)]).toEqual([true, true])
  })

  test('T121: answers 400 to anything but a handle', async () => {
    const tab = await app.signedIn()
    for (const token of [undefined, null, '', 7, [], {}, 'a'.repeat(65)]) {
      const answer = await tab.post('/auth/revoke-session', { token })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test('succeeds for twenty parallel requests for one session and records one', async () => {
    const tab = await app.signedIn()
    const token = await handleOf(await signInAgain(tab.person))
    const answers = await Promise.all(Array.from({ length: 20 }, () => tab.post('/auth/revoke-session', { token })))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await getEvents(tab.userId)).toHaveLength(1)
  })

  test('signs both devices out when each revokes the other in parallel', async () => {
    const one = await app.signedIn()
    const other = await signInAgain(one.person)
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
  test('revoke-sessions ends every session of the user, this one too, and none of other users', async () => {
    const tab = await app.signedIn()
    const others = [await signInAgain(tab.person), await signInAgain(tab.person)]
    const otherUser = await app.signedIn()
    const answer = await tab.post('/auth/revoke-sessions')
    expect([answer.status, answer.body, answer.setCookies]).toEqual([...succeeded, cleared])
    for (const other of [tab, ...others]) expect(await isSignedIn(other)).toBe(false)
    expect(await isSignedIn(otherUser)).toBe(true)
    expect(await getEvents(tab.userId)).toMatchObject([{ details: { count: 3 } }])
  })

  test('revoke-other-sessions keeps only this session, and succeeds when there is no other', async () => {
    const tab = await app.signedIn()
    const otherUser = await app.signedIn()
    expect((await tab.post('/auth/revoke-other-sessions')).body).toEqual({ status: true })
    expect(await getEvents(tab.userId)).toEqual([])
    const others = [await signInAgain(tab.person), await signInAgain(tab.person)]
    const answer = await tab.post('/auth/revoke-other-sessions')
    expect([answer.status, answer.body]).toEqual(succeeded)
    // This browser stays a known device; all others become unknown (ADR 019).
    expect(answer.setCookies).toMatchObject([expect.stringMatching(/^floorpass_known_device=[^;]+;/)])
    for (const other of others) expect(await isSignedIn(other)).toBe(false)
    expect([await isSignedIn(tab), await isSignedIn(otherUser)]).toEqual([true, true])
    expect(await getEvents(tab.userId)).toMatchObject([{ details: { count: 2 } }])
  })

  test('two parallel revoke-other-sessions leave at most one session', async () => {
    const one = await app.signedIn()
    const other = await signInAgain(one.person)
    await Promise.all([one.post('/auth/revoke-other-sessions'), other.post('/auth/revoke-other-sessions')])
    expect(await app.db.session.count({ where: { userId: one.userId } })).toBeLessThan(2)
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('a revoked session cannot revoke any other', async () => {
    const tab = await app.signedIn()
    const thief = await signInAgain(tab.person)
    await tab.post('/auth/revoke-other-sessions')
    for (const path of ['revoke-session', 'revoke-sessions', 'revoke-other-sessions'])
      expect((await thief.post(`/auth/${path}`, { token: await handleOf(tab) })).code).toBe('UNAUTHORIZED')
    expect(await isSignedIn(tab)).toBe(true)
  })
})

describe('the limit on sessions', () => {
  test('T49: the fifty-first sign-in ends the oldest session', async () => {
    const first = await app.signedIn()
    await app.db.session.updateMany({ where: { userId: first.userId }, data: { createdAt: new Date(Date.now() - 60_000) } })
    const second = await signInAgain(first.person)
    for (let count = 3; count <= 50; count += 1) await signInAgain(first.person)
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true])
    await signInAgain(first.person)
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true])
    expect(await app.db.session.count({ where: { userId: first.userId } })).toBe(50)
  })

  test('T49: sixty parallel sign-ins leave fifty sessions', async () => {
    const person = await app.verified()
    await Promise.all(Array.from({ length: 60 }, () => signInAgain(person)))
    expect(await app.db.session.count({ where: { user: { email: person.email } } })).toBe(50)
  })
})
