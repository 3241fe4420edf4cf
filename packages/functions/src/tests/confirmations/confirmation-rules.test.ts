import {
  at,
  confirmationAudience,
  confirmationEnvironment,
  readConfirmation,
  signInConfirmer,
} from '@floorpass/testing/confirmations'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({
  ...confirmationEnvironment,
  CONFIRMATION_RULES:
    'withdrawal<=100 EUR=otp,withdrawal<=10.50 EUR=none,withdrawal<=0.000000000000000001 BTC=none,withdrawal=passkey,order<=5 EUR=otp,view=none,look=otp',
})
const { tab, userId } = await signInConfirmer(app)

/** The level, seen from outside: a hold tells `passkey+hold` from `passkey`. */
async function levelOf(details: object[]): Promise<string> {
  const { body } = await tab.post(at('create'), { authorization_details: details, audience: confirmationAudience })
  const { id } = body as { id: string }
  const { method } = await readConfirmation(tab, id)
  if (method !== 'passkey') return method
  await app.db.user.update({ where: { id: userId }, data: { heldUntil: new Date(Date.now() + 60_000) } })
  const { code } = await tab.post(at('approve'), { id })
  await app.db.user.update({ where: { id: userId }, data: { heldUntil: null } })
  return code === 'ACCOUNT_HELD' ? 'passkey+hold' : 'passkey'
}

const euros = (amount: unknown, more: object = {}) => ({ type: 'withdrawal', amount, currency: 'EUR', ...more })

describe('the rules of confirmations', () => {
  test.each<[string, object[], string]>([
    ['an amount at the smallest limit', [euros('10.50')], 'none'],
    ['the same amount with more zeros', [euros('10.500')], 'none'],
    ['an amount of nothing', [euros('0')], 'none'],
    ['a digit above the smallest limit', [euros('10.500000000000000001')], 'otp'],
    ['an amount at the larger limit', [euros('100')], 'otp'],
    ['an amount that a float would round to the limit', [euros('100.00000000000000001')], 'passkey'],
    ['a digit above the larger limit', [euros('100.01')], 'passkey'],
    ['a large amount that begins with the digits of a small one', [euros('1000')], 'passkey'],
    ['another currency', [euros('1', { currency: 'USD' })], 'passkey'],
    ['a currency in other letters', [euros('1', { currency: 'eur' })], 'passkey'],
    ['no currency', [euros('1', { currency: undefined })], 'passkey'],
    ['the smallest part of another currency', [euros('0.000000000000000001', { currency: 'BTC' })], 'none'],
    ['a number', [euros(1)], 'passkey'],
    ['a negative amount', [euros('-1')], 'passkey'],
    ['an exponent', [euros('1e0')], 'passkey'],
    ['a leading zero', [euros('01')], 'passkey'],
    ['a space', [euros(' 1')], 'passkey'],
    ['a comma', [euros('1,00')], 'passkey'],
    ['digits of another script', [euros('١')], 'passkey'],
    ['more than 18 decimals', [euros('1.0000000000000000000')], 'passkey'],
    ['more than 30 digits', [euros('1'.repeat(31))], 'passkey'],
    ['a second amount', [euros('1', { fees: { amount: '5000' } })], 'passkey'],
    ['an amount by another name', [euros('1', { instructedAmount: '5000' })], 'passkey'],
    ['two amounts of one currency, together at the limit', [euros('50'), euros('50')], 'otp'],
    ['two amounts of one currency, together above it', [euros('50'), euros('50.01')], 'passkey'],
    ['two amounts of two currencies', [euros('10'), euros('0.000000000000000001', { currency: 'BTC' })], 'none'],
    ['two details of which one is stricter', [{ type: 'view' }, { type: 'look' }], 'otp'],
    ['two details of which one has no rule', [{ type: 'view' }, { type: 'transfer' }], 'passkey+hold'],
    ['a type with a rule for an amount only, above it', [{ type: 'order', amount: '6', currency: 'EUR' }], 'passkey+hold'],
    ['a type that begins like one with a rule', [{ type: 'views' }], 'passkey+hold'],
    ['a type in other letters', [{ type: 'View' }], 'passkey+hold'],
    ['a type that objects have', [{ type: 'constructor' }], 'passkey+hold'],
  ])('give %s its level', async (_, details, level) => {
    expect(await levelOf(details)).toBe(level)
  })
})
