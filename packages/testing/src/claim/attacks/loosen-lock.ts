import type { Attack } from '../row.ts'
import {
  askForWithdrawal,
  assertOn,
  day,
  type Owner,
  panicLinkOf,
  type Scene,
  signInAsOwner,
  signInWithCode,
  withdraw,
} from '../scene.ts'
import { sensitiveRequests } from '../sensitive-requests.ts'
import { createTab, expectOk } from '../tab.ts'

export const loosenLock = (scene: Scene, owner: Owner): Attack => ({
  name: 'The thief loosens the lock of the account',
  tried: 'call every sensitive route of the route table; guess the lock key; ask to unlock and wait 7 days − 1 s',
  async run(row) {
    const own = await signInAsOwner(scene, owner)
    await withdraw(scene, own, owner.authenticator)
    expectOk(await own.post('/auth/protection/lock', { days: 7, passkey: await assertOn(own, owner.authenticator) }), 'lock')
    const callAll = async (when: string) => {
      const tab = await signInWithCode(scene, owner)
      for (const { path, body } of sensitiveRequests(owner))
        row.refused(`${path} ${when}`, await tab.post(path, body), 'ACCOUNT_LOCKED')
      row.refused(`withdraw ${when}`, await askForWithdrawal(scene, tab), 'INSUFFICIENT_SCOPE')
      row.refused(
        `reset the password ${when}`,
        await createTab(scene.target).post('/auth/reset-password', {
          token: 'x'.repeat(43),
          newPassword: 'violet harbor ladder',
        }),
        'INVALID_TOKEN',
      )
      return tab
    }
    const thief = await callAll('at once')
    for (let guess = 0; guess < 5; guess += 1) {
      const key = `${guess}`.repeat(25)
      row.refused('a guessed lock key', await thief.post('/auth/protection/unlock-with-key', { key }), 'PASSKEY_REQUIRED')
    }
    const asked = await panicLinkOf(scene, owner.email, async () =>
      expectOk(await thief.post('/auth/protection/request-unlock'), 'request-unlock'),
    )
    row.works('get a mail about the request, with a panic link', asked !== '')
    expectOk(await own.post('/auth/protection/cancel-unlock'), 'cancel-unlock')
    const { unlockAt } = expectOk<{ unlockAt: string }>(await thief.post('/auth/protection/request-unlock'), 'request-unlock')
    row.held(
      'the lock ends before the days that its owner chose',
      Date.parse(unlockAt) - scene.service.now() > 7 * day * 1000 - 60_000,
      'wait of 7 days',
    )
    await scene.service.freeze(Date.parse(unlockAt) - 1000)
    await callAll('at 7 days − 1 s')
    await scene.service.step(0)
  },
})
