import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>
type Page = {
  events: { id: string; action: string; byAnother: boolean; ipAddress: string; browser: string | null }[]
  nextCursor: string | null
}

const list = async (tab: Pick<Tab, 'get'>, query = '') => {
  const { status, body } = await tab.get(`/auth/list-activity${query}`)
  expect(status).toBe(200)
  return body as Page
}

describe('list-activity', () => {
  test('lists events, newest first, with device and IP address', async () => {
    const tab = await app.signedIn()
    await tab.post('/auth/update-user', { name: 'Zoë' })
    const { events, nextCursor } = await list(tab)
    expect(events.map(({ action }) => action)).toEqual(['update-user', 'sign-in', 'verify-email', 'sign-up'])
    expect(events[0]).toMatchObject({ succeeded: true, byAnother: false, details: { fields: 'name' }, ipAddress: '127.0.0.1' })
    expect(nextCursor).toBeNull()
  })

  test('reads a page from an ordered index, without a sort', async () => {
    const plan = await app.db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`
      await tx.$executeRaw`SET LOCAL enable_bitmapscan = off`
      return tx.$queryRaw<{ 'QUERY PLAN': string }[]>`
        EXPLAIN SELECT * FROM audit_events WHERE user_id = 'ada' AND id < 'z' ORDER BY id DESC LIMIT 5`
    })
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(lines).toContain('audit_events_user_id_id_idx')
    expect(lines).not.toContain('Sort')
  })

  test('pages by cursor: every event once, in order', async () => {
    const tab = await app.signedIn()
    for (const name of ['a', 'b', 'c']) await tab.post('/auth/update-user', { name })
    const whole = (await list(tab)).events.map(({ id }) => id)
    const paged: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { events, nextCursor } = await list(tab, query)
      paged.push(...events.map(({ id }) => id))
      if (nextCursor === null) break
      query = `?limit=2&cursor=${nextCursor}`
    }
    expect(whole).toHaveLength(6)
    expect(paged).toEqual(whole)
  })

  test('never shows events of another user, whatever the cursor', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    const own = new Set((await list(tab)).events.map(({ id }) => id))
    const [newest] = (await list(other)).events
    for (const { id } of (await list(tab, `?cursor=${newest?.id}`)).events) expect(own.has(id)).toBe(true)
  })

  test('hides the device and IP address of another actor', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    await app.db.auditEvent.create({
      data: { userId: tab.userId, actorId: other.userId, action: 'add-member', ipAddress: '203.0.113.9', userAgent: 'curl/8' },
    })
    expect((await list(tab)).events[0]).toMatchObject({ action: 'add-member', byAnother: true, ipAddress: '', browser: null })
    expect(JSON.stringify((await tab.get('/auth/export-data')).body)).not.toContain('203.0.113.9')
  })

  test.each(['?limit=0', '?limit=101', '?limit=x', '?cursor='])('refuses %s', async (query) => {
    const tab = await app.signedIn()
    const { status, body } = await tab.get(`/auth/list-activity${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
  })

  test('needs a session', async () => {
    expect((await app.browser().get('/auth/list-activity')).status).toBe(401)
  })
})
