import { readFile, writeFile } from 'node:fs/promises'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { placeDatabase } from '@floorpass/testing/place-database'
import { describe, expect, test } from 'vitest'

const paris = {
  city: { names: { en: 'Paris', fr: 'Paris' } },
  country: { iso_code: 'FR', names: { en: 'France', fr: 'France' } },
}
const geneva = {
  city: { names: { en: 'Geneva', fr: 'Genève' } },
  country: { iso_code: 'CH', names: { en: 'Switzerland', fr: 'Suisse' } },
}
const networks = {
  '203.0.113.0/25': paris,
  '2001:db8:7::/48': geneva,
  '198.51.100.0/24': { country: { iso_code: 'JP', names: { en: 'Japan' } } },
  '192.0.2.0/24': { registered_country: { iso_code: 'US', names: { en: 'United States' } } },
}

async function openApp(file?: string) {
  const app = await createTestApp({ GEOIP_DATABASE: file ?? (await placeDatabase(networks)) })
  const { person } = await app.registered()
  const signInFrom = async (ip: string) => {
    const tab = app.browser({ ip })
    expect((await tab.post('/auth/sign-in/email', person)).status).toBe(200)
    return tab
  }
  const placeOf = async (ip: string, locale = 'en') => {
    const tab = await signInFrom(ip)
    await tab.post('/auth/update-user', { locale })
    const sessions = (await tab.get('/auth/list-sessions')).body as { current: boolean; place: unknown }[]
    return sessions.find(({ current }) => current)?.place
  }
  return { app, person, signInFrom, placeOf }
}

describe('the place of a session', () => {
  test('is the city and country of its network, in the language of the user', async () => {
    const { placeOf } = await openApp()
    expect(await placeOf('203.0.113.9')).toEqual({ city: 'Paris', country: 'France' })
    expect(await placeOf('203.0.113.200')).toBeNull()
    expect(await placeOf('2001:db8:7:1::5')).toEqual({ city: 'Geneva', country: 'Switzerland' })
    expect(await placeOf('2001:db8:7:1::5', 'fr')).toEqual({ city: 'Genève', country: 'Suisse' })
    expect(await placeOf('2001:db8:8::5')).toBeNull()
  })

  test('is a country alone where the database knows no city, in English where it knows no other word', async () => {
    const { placeOf } = await openApp()
    expect(await placeOf('198.51.100.7', 'fr')).toEqual({ city: null, country: 'Japan' })
    expect(await placeOf('192.0.2.7')).toEqual({ city: null, country: 'United States' })
  })

  test('is null for an IPv6 address in a database of IPv4 networks', async () => {
    // 2001:0db8 are the bytes of 32.1.13.184.
    const { placeOf } = await openApp(await placeDatabase({ '32.1.13.0/24': paris, '203.0.113.0/24': paris }, 'Test-City', 4))
    expect(await placeOf('203.0.113.9')).toEqual({ city: 'Paris', country: 'France' })
    expect(await placeOf('2001:db8:7:1::5')).toBeNull()
  })

  test('is null where a record is damaged or names no text: the list of sessions stays', async () => {
    const file = await placeDatabase({
      '203.0.113.0/24': paris,
      '198.51.100.0/24': 'damaged',
      '192.0.2.0/24': { city: { names: { en: 5 } } },
    })
    const content = await readFile(file)
    // No type has this number.
    content.writeUInt16BE(0x0010, content.indexOf('damaged') - 1)
    await writeFile(file, content)
    const { placeOf } = await openApp(file)
    expect(await placeOf('203.0.113.9')).toEqual({ city: 'Paris', country: 'France' })
    expect(await placeOf('198.51.100.7')).toBeNull()
    expect(await placeOf('192.0.2.7')).toBeNull()
  })

  test('is looked up when it is shown: nothing of it is stored', async () => {
    const { app, signInFrom } = await openApp()
    const tab = await signInFrom('203.0.113.9')
    const { events } = (await tab.get('/auth/list-activity')).body as { events: { action: string; place: unknown }[] }
    expect(events[0]).toMatchObject({ action: 'sign-in', place: { city: 'Paris', country: 'France' } })
    expect(events.at(-1)).toMatchObject({ action: 'sign-up', place: null })
    expect(JSON.stringify(await app.readAllRows())).not.toContain('Paris')
    expect(JSON.stringify((await tab.get('/auth/get-session')).body)).not.toContain('Paris')
  })

  test('of another actor is hidden', async () => {
    const { app, person, signInFrom } = await openApp()
    const tab = await signInFrom('198.51.100.7')
    const { id: userId } = await app.db.user.findUniqueOrThrow({ where: { email: person.email } })
    await app.db.auditEvent.create({ data: { userId, actorId: 'another', action: 'add-member', ipAddress: '203.0.113.9' } })
    const { events } = (await tab.get('/auth/list-activity')).body as { events: unknown[] }
    expect(events[0]).toMatchObject({ action: 'add-member', byAnother: true, place: null })
  })

  test('is null without a database', async () => {
    const app = await createTestApp()
    const tab = await app.signedIn()
    expect((await tab.get('/auth/list-sessions')).body).toMatchObject([{ place: null }])
  })
})
