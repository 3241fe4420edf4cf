/** What a person confirms, by the path of the member. A member without a label is shown by its path. */
export type ConfirmationText = { labels: Readonly<Record<ConfirmationMember, string>> }

type ConfirmationMember =
  | 'type'
  | 'amount'
  | 'currency'
  | 'payee'
  | 'payee.name'
  | 'payee.iban'
  | 'payee.account'
  | 'payee.address'
  | 'creditorName'
  | 'account'
  | 'iban'
  | 'address'
  | 'network'
  | 'reference'
  | 'note'
