import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const update = (tab: Tab, fields: unknown) => tab.post('/auth/update-user', fields)
const rowOf = ({ userId }: Tab) => app.db.user.findUniqueOrThrow({ where: { id: userId } })

describe('update-user', () => {
  test('changes the four fields, and get-session shows them at once', async () => {
    const tab = await app.signedIn()
    const fields = { name: 'Zoë', image: 'https://pics.example.test/z.png', tradingEnabled: true, riskLevel: 'aggressive' }
    const answer = await update(tab, fields)
    expect([answer.status, answer.body]).toEqual([200, { status: true }])
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: fields })
    const [event] = await app.db.auditEvent.findMany({ where: { userId: tab.userId, action: 'update-user' } })
    expect(event).toMatchObject({ succeeded: true, details: { fields: 'name,image,tradingEnabled,riskLevel' } })
  })

  test('records which fields changed, without their values, and nothing when none did', async () => {
    const tab = await app.signedIn()
    const eventsOf = () =>
      app.db.auditEvent.findMany({ where: { userId: tab.userId, action: 'update-user' }, orderBy: { id: 'asc' } })
    await update(tab, { name: tab.person.name, image: null, locale: 'fr', riskLevel: 'conservative' })
    await update(tab, { name: 'Zoë', image: null, locale: 'fr' })
    await update(tab, { name: 'Zoë', tradingEnabled: false })
    expect((await eventsOf()).map(({ details }) => details)).toEqual([{ fields: 'locale' }, { fields: 'name' }])
    expect(JSON.stringify(await eventsOf())).not.toContain('Zoë')
  })

  test('sets the language of pages and emails, and accepts no other', async () => {
    const tab = await app.signedIn()
    expect((await update(tab, { locale: 'fr' })).status).toBe(200)
    expect(await rowOf(tab)).toMatchObject({ locale: 'fr' })
    const refused = await update(tab, { locale: 'tlh' })
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
    expect(await rowOf(tab)).toMatchObject({ locale: 'fr' })
  })

  test('changes only the fields that are sent; null removes the picture', async () => {
    const tab = await app.signedIn()
    await update(tab, { image: 'http://pics.example.test/a.png', riskLevel: 'moderate' })
    expect((await update(tab, { image: null })).status).toBe(200)
    expect(await rowOf(tab)).toMatchObject({ image: null, riskLevel: 'moderate', name: tab.person.name })
  })

  test('never changes another user', async () => {
    const tab = await app.signedIn()
    const other = await app.signedIn()
    await update(tab, { name: 'Changed', userId: other.userId })
    expect(await rowOf(other)).toMatchObject({ name: other.person.name })
  })

  test('T118: refuses every field that only the service sets, by name, and changes nothing', async () => {
    const tab = await app.signedIn()
    const before = await rowOf(tab)
    const fields = [
      'id',
      'emailVerified',
      'role',
      'banned',
      'suspendedAt',
      'twoFactorEnabled',
      'passwordHash',
      'organizationId',
      'createdAt',
      'updatedAt',
    ]
    for (const field of fields) {
      for (const value of [true, false, null, 'x', '']) {
        const answer = await update(tab, { name: 'Changed', [field]: value })
        expect([answer.status, answer.body]).toEqual([
          400,
          { code: 'FIELD_NOT_ALLOWED', message: `${field} is not allowed to be set` },
        ])
      }
    }
    for (const email of ['new@example.test', '', null]) {
      const answer = await update(tab, { name: 'Changed', email })
      expect([answer.status, answer.body]).toEqual([
        400,
        { code: 'EMAIL_CAN_NOT_BE_UPDATED', message: 'Email can not be updated' },
      ])
    }
    expect(await rowOf(tab)).toEqual(before)
  })

  test('refuses a deceptive name, and a picture URL with a password', async () => {
    const tab = await app.signedIn()
    const before = await rowOf(tab)
    for (const name of [
      'a\u0000b',
      'a\nb',
      'Ada\u202egro.live',
      'A\u200bda',
      '\u2066Ada',
      '\u3164',
      '\u200d',
      'A\ufeffda',
      'A\u2028da',
      'A\u061cda',
      'A\u3164da',
      'A\u{e0041}da',
    ])
      expect((await update(tab, { name })).code, JSON.stringify(name)).toBe('VALIDATION_ERROR')
    for (const image of ['https://user:secret@pics.example.test/a.png', 'https://user@pics.example.test/a.png'])
      expect((await update(tab, { image })).code).toBe('VALIDATION_ERROR')
    expect(await rowOf(tab)).toEqual(before)
    for (const name of ['Ada 👩‍💻', 'نور', '李明', 'O’Brien-Łukasz', 'می‌خواهم'])
      expect((await update(tab, { name })).status, name).toBe(200)
  })

  test('T123: prototype keys have no effect, on this request or the next', async () => {
    const tab = await app.signedIn()
    const before = await rowOf(tab)
    for (const body of [
      '{"__proto__":{"name":"Eve","tradingEnabled":"yes"}}',
      '{"constructor":{"prototype":{"name":"Eve"}}}',
      '{"prototype":{"name":"Eve"}}',
    ]) {
      expect((await tab.request('POST', '/auth/update-user', { body })).code).toBe('NO_FIELDS_TO_UPDATE')
    }
    expect(await rowOf(tab)).toEqual(before)
    expect(({} as Record<string, unknown>).name).toBeUndefined()
    expect((await update(tab, {})).code).toBe('NO_FIELDS_TO_UPDATE')
  })

  test('T119: tradingEnabled must be a boolean', async () => {
    const tab = await app.signedIn()
    for (const tradingEnabled of ['true', 'false', 1, 0, null, [], {}, [true]]) {
      const answer = await update(tab, { tradingEnabled })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^\[body\.tradingEnabled\] /) })
    }
    expect(await rowOf(tab)).toMatchObject({ tradingEnabled: false })
  })

  test('riskLevel must be conservative, moderate or aggressive', async () => {
    const tab = await app.signedIn()
    for (const riskLevel of ['moderate', 'aggressive', 'conservative']) {
      expect((await update(tab, { riskLevel })).status).toBe(200)
      expect(await rowOf(tab)).toMatchObject({ riskLevel })
    }
    for (const riskLevel of ['reckless', 'Moderate', '', null, 1, ['moderate'], {}]) {
      const answer = await update(tab, { riskLevel })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:image/svg+xml,<svg>',
    'ftp://pics.example.test/a.png',
    '//pics.example.test/a.png',
    'a.png',
    '',
    `https://pics.example.test/${'a'.repeat(2048)}`,
  ])('refuses the picture %j', async (image) => {
    const tab = await app.signedIn()
    const answer = await update(tab, { image })
    expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(await rowOf(tab)).toMatchObject({ image: null })
  })

  test('T121: a name is text of 1 to 100 characters', async () => {
    const tab = await app.signedIn()
    for (const name of ['', '   ', 'a'.repeat(101), 5, null, [], {}, 'a\u0000', '\ud800']) {
      const answer = await update(tab, { name })
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
    expect((await update(tab, { name: `  ${'a'.repeat(100)}  ` })).status).toBe(200)
    expect(await rowOf(tab)).toMatchObject({ name: 'a'.repeat(100) })
  })

  test('an empty change and a wrong value have different error codes', async () => {
    const tab = await app.signedIn()
    for (const fields of [{}, { unknown: 1 }]) {
      const answer = await update(tab, fields)
      expect([answer.status, answer.body]).toEqual([400, { code: 'NO_FIELDS_TO_UPDATE', message: 'No fields to update' }])
    }
    for (const body of ['[]', 'null', '"name"', '7']) {
      expect((await tab.request('POST', '/auth/update-user', { body })).code).toBe('VALIDATION_ERROR')
    }
  })

  test('T47: enabling trading needs a sign-in or reauthentication within the last 15 minutes; disabling it does not', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    expect((await update(tab, { tradingEnabled: true })).status).toBe(200)
    expect((await update(tab, { tradingEnabled: false })).status).toBe(200)
    clock.advance(1)
    const answer = await update(tab, { name: 'Changed', tradingEnabled: true })
    expect([answer.status, answer.body]).toEqual([403, { code: 'SESSION_NOT_FRESH', message: 'Session is not fresh' }])
    expect(await rowOf(tab)).toMatchObject({ name: tab.person.name, tradingEnabled: false })
    for (const fields of [{ tradingEnabled: false }, { name: 'Changed' }, { riskLevel: 'conservative' }, { image: null }]) {
      expect((await update(tab, fields)).status).toBe(200)
    }
    await app.db.user.update({ where: { id: tab.userId }, data: { tradingEnabled: true } })
    expect((await update(tab, { tradingEnabled: true })).status).toBe(200)
    expect((await update(tab, { tradingEnabled: false })).status).toBe(200)
    await tab.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
    expect((await update(tab, { tradingEnabled: true })).status).toBe(200)
  })

  test('T47: raising the risk level needs a sign-in or reauthentication within the last 15 minutes; keeping or lowering it does not', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const levels = ['conservative', 'moderate', 'aggressive'] as const
    clock.advance(15 * 60)
    expect((await update(tab, { riskLevel: 'moderate' })).status).toBe(200)
    clock.advance(1)
    for (const [from, before] of levels.entries())
      for (const [to, riskLevel] of levels.entries()) {
        await app.db.user.update({ where: { id: tab.userId }, data: { riskLevel: before } })
        const answer = await update(tab, { riskLevel })
        const expected = to > from ? [403, 'SESSION_NOT_FRESH', before] : [200, undefined, riskLevel]
        expect([answer.status, answer.code, (await rowOf(tab)).riskLevel]).toEqual(expected)
      }
    await app.db.user.update({ where: { id: tab.userId }, data: { riskLevel: 'moderate', tradingEnabled: true } })
    expect((await update(tab, { tradingEnabled: true, riskLevel: 'aggressive' })).code).toBe('SESSION_NOT_FRESH')
    expect((await update(tab, { tradingEnabled: false, riskLevel: 'aggressive' })).code).toBe('SESSION_NOT_FRESH')
    expect((await update(tab, { tradingEnabled: true, riskLevel: 'moderate' })).status).toBe(200)
    await app.db.user.update({ where: { id: tab.userId }, data: { tradingEnabled: false } })
    expect((await update(tab, { tradingEnabled: true, riskLevel: 'conservative' })).code).toBe('SESSION_NOT_FRESH')
    expect(await rowOf(tab)).toMatchObject({ riskLevel: 'moderate', tradingEnabled: false })
  })

  test('T47: extending a session does not count as a sign-in', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(2 * 24 * 3600)
    expect((await tab.get('/auth/get-session')).setCookies).toHaveLength(1)
    expect((await update(tab, { tradingEnabled: true })).code).toBe('SESSION_NOT_FRESH')
  })

  test('answers 401 without a session', async () => {
    const answer = await app.browser().post('/auth/update-user', { name: 'Eve' })
    expect([answer.status, answer.body]).toEqual([401, { code: 'UNAUTHORIZED', message: 'Unauthorized' }])
  })

  test('is limited to sixty a minute for each user', async () => {
    const limited = await createTestApp({ RATE_LIMIT: 'on' })
    const tab = await limited.signedIn()
    const answers = await Promise.all(Array.from({ length: 61 }, () => tab.post('/auth/update-user', { name: 'Again' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
    expect(answers.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(1)
  })
})
