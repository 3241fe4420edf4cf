import type { Api } from '@floorpass/api'
import { textsIn } from '@floorpass/languages'

type Confirmation = Awaited<ReturnType<Api['confirmations']['get']>>
type Row = Confirmation['display'][number]

/** How a line is drawn: what decides is large, and what is compared character by character has wide letters. */
export type DetailRow = Row & { look: 'amount' | 'payee' | 'account' | 'plain' }

const order: readonly DetailRow['look'][] = ['amount', 'payee', 'account', 'plain']

/** Every line that the service stored, by detail: its type, then what decides, then the others as they come. */
export function groupDetails({ display, locale }: Pick<Confirmation, 'display' | 'locale'>): DetailRow[][] {
  const { labels } = textsIn(locale).confirmation
  const details: Row[][] = []
  // Each detail begins with its type, and no other member gets that label.
  for (const row of display) {
    const detail = row.label === labels.type ? undefined : details.at(-1)
    detail ? detail.push(row) : details.push([row])
  }
  const payees = [labels.payee, labels['payee.name'], labels.creditorName]
  const accounts = [
    ...[labels.account, labels.iban, labels.address],
    ...[labels['payee.account'], labels['payee.iban'], labels['payee.address']],
  ]
  const findLook = ({ label }: Row): DetailRow['look'] => {
    if (label === labels.amount) return 'amount'
    if (payees.includes(label)) return 'payee'
    return accounts.includes(label) ? 'account' : 'plain'
  }
  return details.map((rows) => {
    const [type, ...others] = joinCurrency(rows, labels).map((row): DetailRow => ({ ...row, look: findLook(row) }))
    const sorted = others.toSorted((left, right) => order.indexOf(left.look) - order.indexOf(right.look))
    return type ? [type, ...sorted] : sorted
  })
}

/** One line for an amount and its currency, where both are what they should be. */
function joinCurrency(rows: readonly Row[], labels: { amount: string; currency: string }): Row[] {
  const amount = rows.find(({ label }) => label === labels.amount)
  const currency = rows.find(({ label }) => label === labels.currency)
  if (!amount || !currency || !/^\d[\d.]*$/.test(amount.value) || !/^[A-Za-z][A-Za-z0-9]{1,9}$/.test(currency.value))
    return [...rows]
  return rows.flatMap((row) => {
    if (row === currency) return []
    return row === amount ? [{ ...row, value: `${amount.value} ${currency.value}` }] : [row]
  })
}
