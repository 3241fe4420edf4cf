import { type AccountProtection, isHeld } from '../kernel/account-protection.ts'
import type { ConfirmationLevel, ConfirmationRule } from '../kernel/settings.ts'
import type { AuthorizationDetail } from './contract.ts'
import { flatten } from './flatten.ts'

const levels: readonly ConfirmationLevel[] = ['none', 'otp', 'passkey', 'passkey+hold']

const strictest: ConfirmationLevel = 'passkey+hold'

export const isBlockedByHold = (level: ConfirmationLevel, user: Pick<AccountProtection, 'heldUntil'>): boolean =>
  level === strictest && isHeld(user)

/** The strictest level that a detail needs. A detail without a rule needs `passkey+hold`. */
export function getConfirmationLevel(
  rules: readonly ConfirmationRule[],
  details: readonly AuthorizationDetail[],
): ConfirmationLevel {
  const sums = sumAmounts(details)
  const needed = details.map((detail) => findRule(rules, detail, sums)?.level ?? strictest)
  return levels.findLast((level) => needed.includes(level)) ?? strictest
}

/** The rule with the smallest amount that covers the sum, or else the rule for any amount. */
function findRule(
  rules: readonly ConfirmationRule[],
  detail: AuthorizationDetail,
  sums: ReadonlyMap<string, bigint>,
): ConfirmationRule | undefined {
  const ofType = rules.filter(({ type }) => type === detail.type)
  const amount = readAmount(detail)
  const sum = amount === null ? undefined : sums.get(keyOf(amount))
  const forAmount = ofType
    .flatMap((rule) => (rule.most === null ? [] : [{ rule, most: toUnits(rule.most.amount), currency: rule.most.currency }]))
    .filter(({ most, currency }) => sum !== undefined && most !== null && currency === amount?.currency && sum <= most)
    .sort((left, right) => ((left.most ?? 0n) < (right.most ?? 0n) ? -1 : 1))
  return forAmount[0]?.rule ?? ofType.find(({ most }) => most === null)
}

type Amount = { type: string; currency: string; units: bigint }

const keyOf = ({ type, currency }: Amount): string => JSON.stringify([type, currency])

/** Adds up by type and currency: otherwise a large amount in small parts would need a lower level. */
function sumAmounts(details: readonly AuthorizationDetail[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const detail of details) {
    const amount = readAmount(detail)
    if (amount) sums.set(keyOf(amount), (sums.get(keyOf(amount)) ?? 0n) + amount.units)
  }
  return sums
}

/** Null when the amount cannot be read exactly, or when the detail has more than one. */
function readAmount(detail: AuthorizationDetail): Amount | null {
  const { type, amount, currency } = detail
  const amounts = flatten(detail).filter(({ path }) => path.some((name) => /amount/i.test(String(name))))
  const units = typeof amount === 'string' ? toUnits(amount) : null
  return units === null || typeof currency !== 'string' || amounts.length !== 1 ? null : { type, currency, units }
}

const decimals = 18

/** In 10^-18 of the currency. Null for a text that is no plain decimal number. */
export function toUnits(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,29})(?:\.(\d{1,18}))?$/.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(decimals, '0'))
}
