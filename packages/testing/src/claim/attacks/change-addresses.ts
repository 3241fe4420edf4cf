import type { Attack } from '../row.ts'
import {
  addThiefPasskey,
  askForWithdrawal,
  assertOn,
  type Owner,
  order,
  panicLinkOf,
  type Scene,
  signInAsOwner,
  signInWithCode,
  thiefAddress,
  withdraw,
} from '../scene.ts'
import { createTab, expectOk, type Tab } from '../tab.ts'

const entry = { kind: 'bitcoin', value: thiefAddress }
const toThief = { ...order, address: thiefAddress }

export const changeAddresses = (scene: Scene, owner: Owner): Attack => ({
  name: 'The thief changes where money may go',
  tried:
    'add an address or switch the list off, without a passkey, with a new one, with the API key; remove the address of the owner; withdraw to both',
  async run(row) {
    await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
    const tab = await signInWithCode(scene, owner)
    const loosen = async (what: string, fields: () => Promise<object>, code: string) => {
      row.refused(`add an address ${what}`, await tab.post('/auth/allow-list/add', { ...entry, ...(await fields()) }), code)
      row.refused(
        `switch the list off ${what}`,
        await tab.post('/auth/allow-list/set-enabled', { enabled: false, ...(await fields()) }),
        code,
      )
    }
    await loosen('without a passkey', async () => ({}), 'PASSKEY_REQUIRED')
    row.refused('withdraw to the thief', await askForWithdrawal(scene, tab, toThief), 'ADDRESS_NOT_ALLOWED')
    const key = { headers: { authorization: `Bearer ${owner.bearerKey.key}` } }
    row.refused('add with the key', await createTab(scene.target).post('/auth/allow-list/add', entry, key), 'UNAUTHORIZED')
    row.refused(
      'withdraw to the thief with the key',
      await askForWithdrawal(scene, createTab(scene.target), toThief, key.headers),
      'ADDRESS_NOT_ALLOWED',
    )
    // Removing tightens the list, so it works at once: the owner loses an address, the thief gains none.
    const { entries } = expectOk<{ entries: { id: string }[] }>(await tab.get('/auth/allow-list/list'), 'list')
    for (const { id } of entries) expectOk(await tab.post('/auth/allow-list/remove', { id }), 'remove')
    row.refused('withdraw to the removed address', await askForWithdrawal(scene, tab), 'ADDRESS_NOT_ALLOWED')
    row.refused('withdraw to the thief from an empty list', await askForWithdrawal(scene, tab, toThief), 'ADDRESS_NOT_ALLOWED')
    const passkey = await addThiefPasskey(tab)
    await loosen('with a new passkey', async () => ({ passkey: await assertOn(tab, passkey) }), 'PASSKEY_TOO_NEW')
  },
})

export const removePasskeyFirst = (scene: Scene, owner: Owner): Attack => ({
  name: 'The thief removes the passkey of the owner first, then changes where money may go',
  tried: 'add an address, switch the list off: at once and at 72 h − 1 s',
  async run(row) {
    await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
    const tab = await signInWithCode(scene, owner)
    const link = await panicLinkOf(scene, owner.email, () => removePasskey(tab, owner.passkeyId))
    const loosen = async (when: string, page: Tab) => {
      row.refused(`add an address ${when}`, await page.post('/auth/allow-list/add', entry), 'ACCOUNT_HELD')
      row.refused(
        `switch the list off ${when}`,
        await page.post('/auth/allow-list/set-enabled', { enabled: false }),
        'ACCOUNT_HELD',
      )
    }
    await loosen('at once', tab)
    const { hold } = expectOk<{ hold: { until: string } }>(await tab.get('/auth/protection/get'), 'get')
    await scene.service.freeze(Date.parse(hold.until) - 1000)
    await loosen('at 72 h − 1 s', await signInWithCode(scene, owner))
    expectOk(await createTab(scene.target).post('/auth/panic', { token: link }), 'panic')
    row.refused('withdraw after the panic link', await askForWithdrawal(scene, tab, toThief), 'UNAUTHORIZED')
    await scene.service.step(0)
  },
})

const removePasskey = async (tab: Tab, id: string) =>
  expectOk(await tab.post('/auth/passkey/delete-passkey', { id }), 'delete-passkey')
