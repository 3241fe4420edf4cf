import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()
type Tab = Awaited<ReturnType<typeof app.signedIn>>
type Body = { methods: string[]; satisfied: boolean }

const ask = async (tab: Tab, query = ''): Promise<[satisfied: boolean, methods: string]> => {
  const { methods, satisfied } = (await tab.get(`/auth/reauthentication${query}`)).body as Body
  return [satisfied, methods.join()]
}

test('without a requirement, a fresh session needs nothing and every method counts', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  expect(await ask(tab)).toEqual([true, 'password'])
  clock.advance(15 * 60 + 1)
  expect(await ask(tab)).toEqual([false, 'password'])
})

test('a younger sign-in than 15 minutes can be required', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  clock.advance(61)
  expect(await ask(tab, '?max_age=60')).toEqual([false, 'password'])
  await tab.post('/auth/reauthenticate', { password: tab.person.password })
  expect(await ask(tab, '?max_age=60')).toEqual([true, 'password'])
})

test('only a code meets acr=aal2, or makes a session with a second factor younger', async () => {
  const clock = holdClock()
  const tab = await app.signedIn()
  expect(await ask(tab, '?acr=aal2')).toEqual([false, ''])
  const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
  expect(await ask(tab, '?acr=aal2')).toEqual([false, 'code'])
  clock.advance(60)
  await tab.post('/auth/reauthenticate', { code: authenticator.code() })
  expect(await ask(tab, '?acr=aal2')).toEqual([true, 'code'])
  clock.advance(61)
  await tab.post('/auth/reauthenticate', { password: tab.person.password })
  expect(await ask(tab, '?max_age=60')).toEqual([false, 'code'])
})
