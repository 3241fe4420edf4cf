import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Device = Record<string, unknown> & { token: string; userAgent: string; lastSeenAt: string; current: boolean }

const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1'

const signInFrom = async ({ email, password }: Person, userAgent: string, ip = '127.0.0.1') => {
  const tab = app.browser({ ip })
  const answer = await tab.post('/auth/sign-in/email', { email, password }, { headers: { 'user-agent': userAgent } })
  expect(answer.status).toBe(200)
  return tab
}
const listSessions = async (tab: Pick<Browser, 'get'>) => (await tab.get('/auth/list-sessions')).body as Device[]

describe('list-sessions', () => {
  test('shows the name of each device, newest first, and marks this one', async () => {
    const clock = holdClock()
    const person = await app.verified()
    const phone = await signInFrom(person, iphone, '203.0.113.9')
    clock.advance(1)
    const laptop = await signInFrom(person, firefox)
    const { id: userId } = await app.db.user.findUniqueOrThrow({ where: { email: person.email } })
    const shape = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId,
      expiresAt: isoDate,
      createdAt: isoDate,
      updatedAt: isoDate,
      activeOrganizationId: null,
      impersonatedBy: null,
      lastSeenAt: isoDate,
      trusted: false,
      nickname: null,
      place: null,
    }
    const onLaptop = {
      ...shape,
      ipAddress: '127.0.0.1',
      userAgent: firefox,
      device: 'desktop',
      browser: 'Firefox 140',
      os: 'Linux',
    }
    const onPhone = {
      ...shape,
      ipAddress: '203.0.113.9',
      userAgent: iphone,
      device: 'mobile',
      browser: 'Safari 18',
      os: 'iOS 18.2',
    }
    expect(await listSessions(laptop)).toStrictEqual([
      { ...onLaptop, current: true },
      { ...onPhone, current: false },
    ])
    expect((await listSessions(phone)).map(({ current }) => current)).toEqual([false, true])
  })

  test('T37: reveals nothing that opens a session and nothing of other users', async () => {
    const otherUser = await app.signedIn()
    const tab = await app.signedIn()
    const other = await signInFrom(tab.person, firefox)
    const answer = await tab.get('/auth/list-sessions')
    const text = JSON.stringify(answer.body)
    const rows = await app.db.session.findMany({ where: { userId: tab.userId } })
    const secrets = [
      ...rows.map(({ id }) => id),
      tab.cookies.get('local-floorpass_session'),
      other.cookies.get('local-floorpass_session'),
    ]
    for (const secret of [...secrets, otherUser.userId]) expect(text).not.toContain(secret)
    for (const { token } of answer.body as Device[]) {
      const opened = await app.browser().get('/auth/get-session', { headers: { cookie: `local-floorpass_session=${token}` } })
      expect(opened.body).toBeNull()
    }
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('leaves out ended sessions, even when no clean-up runs', async () => {
    const clock = holdClock()
    const person = await app.verified()
    const short = app.browser()
    await short.post('/auth/sign-in/email', { email: person.email, password: person.password, rememberMe: false })
    const tab = await signInFrom(person, firefox)
    expect(await listSessions(tab)).toHaveLength(2)
    clock.advance(24 * 3600)
    expect(await listSessions(tab)).toHaveLength(1)
  })

  test('updates "last seen" at most every ten minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const visit = async () => {
      await tab.get('/auth/get-session')
      return (await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })).lastSeenAt.getTime()
    }
    const first = await visit()
    clock.advance(600)
    expect(await visit()).toBe(first)
    clock.advance(1)
    const second = await visit()
    expect(second).toBe(first + 601_000)
    clock.advance(600)
    expect(await visit()).toBe(second)
    expect((await listSessions(tab))[0]?.lastSeenAt).toBe(new Date(second).toISOString())
  })

  test('shows the session that lists as seen now', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(3600)
    expect((await listSessions(tab))[0]?.lastSeenAt).toBe(new Date().toISOString())
  })

  test('shows an empty or hostile user agent as it is, without naming a device', async () => {
    const person = await app.verified()
    await signInFrom(person, '')
    await signInFrom(person, '<script>alert(1)</script>\u001b[31m')
    const tab = await signInFrom(person, 'x'.repeat(60_000))
    const devices = await listSessions(tab)
    expect(devices.map(({ userAgent }) => userAgent)).toEqual(['x'.repeat(512), '<script>alert(1)</script>[31m', ''])
    for (const { device, os } of devices) expect([device, os]).toEqual([null, null])
  })
})
