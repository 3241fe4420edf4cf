import type { ConfirmationText } from '../confirmation-text.ts'

export const confirmation: ConfirmationText = {
  labels: {
    type: 'Opération',
    amount: 'Montant',
    currency: 'Devise',
    payee: 'Bénéficiaire',
    'payee.name': 'Bénéficiaire',
    'payee.iban': 'IBAN du bénéficiaire',
    'payee.account': 'Compte du bénéficiaire',
    'payee.address': 'Adresse du bénéficiaire',
    creditorName: 'Nom du bénéficiaire',
    account: 'Compte',
    iban: 'IBAN',
    address: 'Adresse',
    network: 'Réseau',
    reference: 'Référence',
    note: 'Note',
  },
}
