import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminOf } from '@floorpass/testing/admin-command'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { afterAll, expect, test } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'floorpass-import-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const command = adminOf(await createTestApp())

test('imports hashes of common cost, and refuses those above seven times the cost of ours', async () => {
  const costs = {
    'm=65536,t=4,p=1': 'taken',
    'm=65536,t=3,p=4': 'taken',
    'm=47104,t=1,p=1': 'taken',
    'm=262144,t=1,p=8': 'taken',
    'm=262144,t=2,p=1': 'refused',
    'm=262144,t=10,p=8': 'refused',
    'm=65536,t=5,p=4': 'refused',
    'm=524288,t=1,p=1': 'refused',
    'm=19456,t=2,p=9': 'refused',
    'm=0,t=1,p=1': 'refused',
  }
  const rows = Object.keys(costs).map((cost, place) => ({
    id: `cost-${place}`,
    name: 'Ada',
    email: `cost-${place}@import.test`,
    emailVerified: true,
    createdAt: '2024-05-06T07:08:09.000Z',
    accounts: [
      { providerId: 'credential', accountId: '1', password: `$argon2id$v=19$${cost}$c29tZXNhbHRzYWx0$aGFzaGhhc2hoYXNo` },
    ],
  }))
  const file = join(folder, 'users.json')
  await writeFile(file, JSON.stringify(rows))
  const { json } = await command('import', file, '--json')
  const refused = (json as { rows: { id: string; reason?: string }[] }).rows.filter(({ reason }) =>
    reason?.includes('acceptable cost'),
  )
  const outcomeOf = (place: number) => (refused.some(({ id }) => id === `cost-${place}`) ? 'refused' : 'taken')
  expect(Object.fromEntries(Object.keys(costs).map((cost, place) => [cost, outcomeOf(place)]))).toEqual(costs)
})
