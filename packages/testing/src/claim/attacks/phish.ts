import { startPhishingProxy } from '../phishing-proxy.ts'
import type { Attack } from '../row.ts'
import { nextCode, type Owner, order, pay, type Scene, signInAsOwner, startWithdrawal, withdraw } from '../scene.ts'
import { createTab, expectOk } from '../tab.ts'

const runs = 50

/** The origins and relying parties of an assertion that the thief's page obtains. */
const deviations = (proxy: URL, real: URL) => [
  { origin: proxy.origin },
  { origin: proxy.origin, rpId: 'accounts-example.test' },
  { origin: `http://localhost.evil.test:${real.port}` },
  { origin: real.origin, rpId: 'evil.test' },
  { origin: real.origin, crossOrigin: true },
]

export const phish = (scene: Scene, owners: readonly Owner[]): Attack => ({
  name: 'A phishing proxy takes password, code and cookie',
  tried: `${runs} runs: relay the challenge of a withdrawal to the victim, or enter the stolen code`,
  async run(row) {
    const proxy = await startPhishingProxy(scene.target)
    try {
      for (const owner of owners) await withdraw(scene, await signInAsOwner(scene, owner), owner.authenticator)
      const paid = scene.withdrawals.paid.length
      for (let round = 0; round < runs / owners.length; round += 1) {
        const codes = await nextCodes(scene, owners)
        await Promise.all(owners.map((owner, index) => fall(owner, codes[index] ?? '', round)))
      }
      row.works('phish passwords, codes and cookies', proxy.cookies.length >= runs && proxy.bodies.length >= 2 * runs)
      row.works('keep the money in the account', scene.withdrawals.paid.length === paid)
    } finally {
      proxy.close()
    }

    async function fall(owner: Owner, code: string, round: number): Promise<void> {
      const { email, password, authenticator } = owner
      const page = createTab({ url: proxy.url, origin: proxy.url })
      expectOk(await page.post('/auth/sign-in/email', { email, password }), 'sign-in at the proxy')
      expectOk(await page.post('/auth/two-factor/verify', { code }), 'code at the proxy')
      const thief = createTab(scene.target, new Map(page.cookies))
      const started = await startWithdrawal(scene, thief, { ...order, amount: '99000.00' })
      const { id, options } = started.confirmation
      const kinds = deviations(new URL(proxy.url), new URL(scene.target.origin))
      const response = authenticator.authenticate(options, kinds[round % kinds.length])
      const relayed = await thief.post('/auth/confirmation/approve', { id, response })
      row.refused('the relayed assertion', relayed, 'AUTHENTICATION_FAILED')
      const typed = await thief.post('/auth/confirmation/approve', { id, code })
      row.refused('the stolen code', typed, 'PASSKEY_REQUIRED')
      const { receipt = '' } = (relayed.body ?? {}) as { receipt?: string }
      row.refused('the payment', await pay(scene, started, receipt), 'RECEIPT_INVALID')
    }
  },
})

/** One owner after another, so that one step of the clock serves all. */
async function nextCodes(scene: Scene, owners: readonly Owner[]): Promise<string[]> {
  const codes: string[] = []
  for (const { totpSecret } of owners) codes.push(await nextCode(scene, totpSecret))
  return codes
}
