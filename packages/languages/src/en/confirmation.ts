import type { ConfirmationText } from '../confirmation-text.ts'

export const confirmation: ConfirmationText = {
  labels: {
    type: 'Action',
    amount: 'Amount',
    currency: 'Currency',
    payee: 'Payee',
    'payee.name': 'Payee',
    'payee.iban': 'Payee IBAN',
    'payee.account': 'Payee account',
    'payee.address': 'Payee address',
    creditorName: 'Name of the payee',
    account: 'Account',
    iban: 'IBAN',
    address: 'Address',
    network: 'Network',
    reference: 'Reference',
    note: 'Note',
  },
}
