import { confirmationEnvironment, createConfirmation, readConfirmation, withdrawal } from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

type Row = { label: string; value: string; look?: string }
type Answer = { display: Row[]; locale: string }

const { href } = new URL('../../../../../apps/web/app/confirmation-details.server.ts', import.meta.url)
const { groupDetails } = (await import(href)) as { groupDetails(answer: Answer): Row[][] }

const app = await createTestApp(confirmationEnvironment)

test('the page draws a transaction in the language of its lines, whatever the language of the page', async () => {
  const tab = await app.signedIn()
  const { id } = await createConfirmation(tab)
  const read = async () => (await readConfirmation(tab, id)) as unknown as Answer
  const looks = ['plain', 'amount', 'payee', 'account']
  const english = await read()
  expect(english.locale).toBe('en')
  expect(groupDetails(english).map((rows) => rows.map(({ look }) => look))).toEqual([looks])

  expect((await tab.post('/auth/update-user', { locale: 'fr' })).status).toBe(200)
  const french = await read()
  expect(french.locale).toBe('fr')
  const [rows = [], ...others] = groupDetails(french)
  expect(others).toEqual([])
  expect(rows.map(({ look }) => look)).toEqual(looks)
  expect(rows.map(({ label }) => label)).toContain('Bénéficiaire')
  expect(rows.map(({ value }) => value)).toEqual(['withdrawal', '2500.00 EUR', withdrawal.payee.name, withdrawal.payee.iban])
})

test('the page drops no line, even when it does not know their language', () => {
  const display = [
    { label: 'Opération', value: 'withdrawal' },
    { label: 'Montant', value: '2500.00' },
    { label: 'Devise', value: 'EUR' },
  ]
  expect(groupDetails({ display, locale: 'en' })).toEqual([display.map((row) => ({ ...row, look: 'plain' }))])
})
