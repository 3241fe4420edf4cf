import { type EventType, eventTypes } from '@floorpass/api'
import { dataSchemaOf } from '@floorpass/api/contracts'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { declaredRoutes } from '@floorpass/testing/declarations'
import { endOfFeed, readAllAfter } from '@floorpass/testing/events'
import { everyProvider, routeSamples, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)
const asService = { headers: { authorization: `Bearer ${serviceKey}` } }
const userAgent = 'An agent of this test'

const readState = async () => ({
  audit: await app.db.auditEvent.findMany({ orderBy: { id: 'asc' } }),
  sessions: await app.db.session.findMany({ where: { expiresAt: { gt: new Date() } } }),
  keys: await app.db.apiKey.findMany(),
  // Those that give a role.
  members: await app.db.member.findMany({ where: { organization: { suspendedAt: null } } }),
})
const missing = <Row>(before: Row[], after: Row[], id: (row: Row) => string): string[] =>
  before.map(id).filter((one) => !after.map(id).includes(one))

describe.each(declaredRoutes)('POST $path', ({ path, access, declared }) => {
  test('publishes an event for each entry of the activity and each session, key and membership that the route ends, without personal data', async () => {
    const tab = await app.signedIn()
    const body = (await samples[`POST ${path}`]?.(tab)) ?? {}
    const [cursor, before] = [await endOfFeed(app), await readState()]
    const headers = { 'user-agent': userAgent, ...(access === 'service' && asService.headers) }
    await tab.post(`/auth${path}`, body, { headers })
    await app.drainMail()
    const after = await readState()
    const events = await readAllAfter(app, cursor)

    const added = after.audit.filter(({ id }) => !before.audit.some((event) => event.id === id))
    const activity = events.filter(({ type }) => type.startsWith('activity.'))
    expect(activity.map(({ type, data, timestamp }) => [type, data.userId, data.succeeded, timestamp])).toEqual(
      added.map(({ action, userId, succeeded, createdAt }) => [`activity.${action}`, userId, succeeded, createdAt.toISOString()]),
    )
    const ended = (type: string, field: string) => events.filter((event) => event.type === type).map(({ data }) => data[field])
    const sessions = missing(before.sessions, after.sessions, ({ handle }) => handle)
    expect(ended('session.ended', 'sessionId').sort()).toEqual(sessions.sort())
    expect(ended('key.ended', 'keyId').sort()).toEqual(missing(before.keys, after.keys, ({ id }) => id).sort())
    expect(ended('membership.ended', 'organizationId')).toHaveLength(
      missing(before.members, after.members, ({ id }) => id).length,
    )

    const text = JSON.stringify(events)
    const { name, email, password } = tab.person
    for (const secret of [email, password, userAgent, `"${name}"`]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/@|fp_|\d+\.\d+\.\d+\.\d+/)
    for (const { type, data } of events)
      expect([type, dataSchemaOf(type as EventType).safeParse(data).error]).toEqual([type, undefined])
    expect(
      declared.events.map((action) => `activity.${action}`).filter((type) => !eventTypes.some((known) => known === type)),
    ).toEqual([])
  })
})
