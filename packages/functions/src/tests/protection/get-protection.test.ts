import { addPasskeyOfAge, setAllowList } from '@floorpass/testing/allow-list'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { serviceKey } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey, ALLOW_LIST_HOURS: '2' })
const nextOf = async (tab: SignedIn) => ((await tab.get('/auth/protection/get')).body as { next: string | null }).next
const setLock = (tab: SignedIn, lockKind: 'owner' | null) =>
  app.db.user.update({
    where: { id: tab.userId },
    data: { lockKind, lockedAt: lockKind && new Date(), unlockDays: lockKind && 7 },
  })

test('the next step is a passkey, then the phrase, the list of addresses and the lock', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  expect(await nextOf(tab)).toBe('add-passkey')
  await addPasskeyOfAge(app, tab, 9)
  expect(await nextOf(tab)).toBe('set-phrase')
  await tab.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' })
  expect(await nextOf(tab)).toBe('enable-allow-list')
  await setAllowList(tab, true)
  expect(await nextOf(tab)).toBe('lock')
  // Until the list has ended, it protects.
  await app.db.allowList.update({ where: { userId: tab.userId }, data: { endsAt: new Date(Date.now() + 60_000) } })
  expect(await nextOf(tab)).toBe('lock')
  clock.advance(60)
  expect(await nextOf(tab)).toBe('enable-allow-list')
})

test('a locked account is offered only the list of addresses, which a lock does not refuse', async () => {
  const tab = await app.signedIn()
  await setLock(tab, 'owner')
  expect(await nextOf(tab)).toBe('enable-allow-list')
  await setAllowList(tab, true)
  expect(await nextOf(tab)).toBeNull()
  await setLock(tab, null)
  expect(await nextOf(tab)).toBe('add-passkey')
})
