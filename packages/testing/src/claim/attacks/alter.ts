import type { Attack } from '../row.ts'
import {
  approve,
  askForWithdrawal,
  type Owner,
  order,
  ownAddress,
  pay,
  type Scene,
  type Started,
  signInAsOwner,
  startWithdrawal,
  thiefAddress,
  withdraw,
} from '../scene.ts'
import { expectOk, type Tab } from '../tab.ts'

/** Replaces the digit or letter at this place. */
const alter = (text: string, at: number): string => {
  const next = text[at] === '9' ? '8' : text[at] === 'z' ? 'y' : String.fromCharCode(text.charCodeAt(at) + 1)
  return text.slice(0, at) + next + text.slice(at + 1)
}

const places = (text: string): number[] => [...text].flatMap((character, at) => (/[0-9a-z]/.test(character) ? [at] : []))

export const alterTransaction = (scene: Scene, owner: Owner): Attack => ({
  name: 'Malware changes the amount or the payee',
  tried:
    'change amount, address, id or currency, in the confirmation and in the receipt; pay with the receipt of another withdrawal',
  async run(row) {
    const { authenticator } = owner
    const tab = await signInAsOwner(scene, owner)
    await withdraw(scene, tab, authenticator)
    const started = await startWithdrawal(scene, tab)
    const detail = { type: 'withdrawal', id: started.id, ...order }
    const altered = [
      ...places(order.amount).map((at) => ({ ...detail, amount: alter(order.amount, at) })),
      ...places(ownAddress).map((at) => ({ ...detail, address: alter(ownAddress, at) })),
      { ...detail, id: alter(started.id, 0) },
      { ...detail, currency: 'USD' },
      { ...detail, fee: '100.00' },
      { ...detail, address: thiefAddress },
    ]
    const genuine = await sign(tab, started)
    for (const changed of altered) {
      const other = await createAltered(tab, changed)
      const what = JSON.stringify(changed)
      const { id } = other.confirmation
      row.refused(
        `the signature for ${what}`,
        await tab.post('/auth/confirmation/approve', { id, response: genuine }),
        'AUTHENTICATION_FAILED',
      )
      // Malware shows the owner the real page, and the passkey signs this one. Only the service can see the difference.
      const { receipt } = expectOk<{ receipt: string }>(await approve(tab, other, authenticator), 'approve')
      row.refused(`the receipt for ${what}`, await pay(scene, started, receipt), 'RECEIPT_FOR_ANOTHER_WITHDRAWAL')
    }
    const { receipt } = expectOk<{ receipt: string }>(
      await tab.post('/auth/confirmation/approve', { id: started.confirmation.id, response: await sign(tab, started) }),
      'approve',
    )
    for (const forged of rewriteReceipt(receipt))
      row.refused('a rewritten receipt', await pay(scene, started, forged), 'RECEIPT_INVALID')
    const another = await startWithdrawal(scene, tab)
    row.refused('the receipt of another withdrawal', await pay(scene, another, receipt), 'RECEIPT_FOR_ANOTHER_WITHDRAWAL')
    row.refused(
      'a withdrawal to the thief',
      await askForWithdrawal(scene, tab, { ...order, address: thiefAddress }),
      'ADDRESS_NOT_ALLOWED',
    )
    row.works('pay the confirmed withdrawal', (await pay(scene, started, receipt)).status === 200)
    row.refused('the same receipt again', await pay(scene, started, receipt), 'ALREADY_PAID')
    const headers = { authorization: `Bearer ${scene.serviceKey}` }
    const consumed = await tab.post('/auth/confirmation/consume', { jti: started.confirmation.id }, { headers })
    row.refused('the same receipt at Floorpass', consumed, 'CONFIRMATION_CONSUMED')

    async function sign({ target }: Tab, { confirmation: { options } }: Started) {
      return authenticator.authenticate(options, { origin: target.origin })
    }
    async function createAltered(page: Tab, changed: object): Promise<Started> {
      const body = { authorization_details: [changed], audience: scene.withdrawals.audience }
      const confirmation = expectOk<Started['confirmation']>(await page.post('/auth/confirmation/create', body), 'create')
      return { id: started.id, confirmation }
    }
  },
})

/** Changes one digit at a time. */
function rewriteReceipt(receipt: string): string[] {
  const [head = '', body = '', signature = ''] = receipt.split('.')
  const text = Buffer.from(body, 'base64url').toString()
  const start = text.indexOf(order.amount)
  return places(order.amount).map((at) => {
    const rewritten = text.slice(0, start) + alter(order.amount, at) + text.slice(start + order.amount.length)
    return `${head}.${Buffer.from(rewritten).toString('base64url')}.${signature}`
  })
}
