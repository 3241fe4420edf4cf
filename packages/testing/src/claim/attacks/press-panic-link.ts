import { signInWithPasskey } from '../../passkeys.ts'
import type { Attack } from '../row.ts'
import {
  addThiefPasskey,
  approve,
  askForWithdrawal,
  assertOn,
  type Owner,
  order,
  panicLinkOf,
  pay,
  resetPassword,
  type Scene,
  signInAsOwner,
  signInWithCode,
  startWithdrawal,
  withdraw,
} from '../scene.ts'
import { sensitiveRequests } from '../sensitive-requests.ts'
import { createTab, expectOk } from '../tab.ts'

export const pressPanicLink = (scene: Scene, owner: Owner): Attack => ({
  name: 'The thief goes on after one press on the panic link',
  tried:
    'use the cookies, the API key, an approved confirmation and a waiting address; sign in by password and passkey; call every sensitive route',
  async run(row) {
    const own = await signInAsOwner(scene, owner)
    await withdraw(scene, own, owner.authenticator)
    const approved = await startWithdrawal(scene, own)
    const { receipt } = expectOk<{ receipt: string }>(await approve(own, approved, owner.authenticator), 'approve')
    const entry = { kind: 'bitcoin', value: 'bc1qpending', passkey: await assertOn(own, owner.authenticator) }
    expectOk(await own.post('/auth/allow-list/add', entry), 'allow-list/add')
    const cookie = own.copy()
    const thief = await signInWithCode(scene, owner)
    const links: string[] = []
    let passkey = owner.authenticator
    links.push(await panicLinkOf(scene, owner.email, async () => (passkey = await addThiefPasskey(thief))))
    const [token = ''] = links
    expectOk(await createTab(scene.target).post('/auth/panic', { token }), 'panic')

    for (const [what, tab] of [
      ['the copied cookie', cookie],
      ['the session of the thief', thief],
    ] as const) {
      row.refused(what, await tab.get('/auth/verify'), 'UNAUTHORIZED')
      row.refused(`withdraw with ${what}`, await askForWithdrawal(scene, tab), 'UNAUTHORIZED')
    }
    const bearer = { authorization: `Bearer ${owner.bearerKey.key}` }
    row.refused('withdraw with the key', await askForWithdrawal(scene, createTab(scene.target), order, bearer), 'KEY_DISABLED')
    row.refused('ask with the key', await createTab(scene.target).get('/auth/verify', { headers: bearer }), 'KEY_DISABLED')
    row.refused('the approved confirmation', await pay(scene, approved, receipt), 'ACCOUNT_LOCKED')
    const outside = createTab(scene.target)
    row.refused('the password', await outside.post('/auth/sign-in/email', owner), 'INVALID_EMAIL_OR_PASSWORD')
    row.refused(
      'the passkey of the thief',
      await signInWithPasskey(outside, passkey, { origin: scene.target.origin }),
      'PASSKEY_NOT_FOUND',
    )
    // Only the owner can still open a session, which cannot make the account less safe.
    const again = await signInAsOwner(scene, owner)
    row.refused('withdraw in a new session', await askForWithdrawal(scene, again), 'INSUFFICIENT_SCOPE')
    for (const { path, body } of sensitiveRequests(owner)) row.refused(path, await again.post(path, body), 'ACCOUNT_LOCKED')
    const { entries } = expectOk<{ entries: { value: string }[] }>(await again.get('/auth/allow-list/list'), 'list')
    row.held('the waiting address is still on the list', !entries.some(({ value }) => value === 'bc1qpending'), 'panic link')
    const { wasUsed } = expectOk<{ wasUsed: boolean }>(await createTab(scene.target).post('/auth/panic', { token }), 'panic')
    row.works('press twice without harm', wasUsed)

    const password = 'amber canyon flute'
    await resetPassword(scene, owner.email, password)
    row.refused('a session from before the reset', await again.get('/auth/verify'), 'UNAUTHORIZED')
    const back = await signInWithCode(scene, { ...owner, password })
    const proof = async () => ({ passkey: await assertOn(back, owner.authenticator) })
    expectOk(await back.post('/auth/protection/undo-panic', await proof()), 'undo-panic')
    expectOk(await back.post('/auth/protection/lift-hold', await proof()), 'lift-hold')
    row.works('withdraw again', (await withdraw(scene, back, owner.authenticator)).receipt !== '')
    row.refused(
      'the former password',
      await createTab(scene.target).post('/auth/sign-in/email', owner),
      'INVALID_EMAIL_OR_PASSWORD',
    )
  },
})
