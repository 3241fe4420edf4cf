import { z } from 'zod'
import { problem } from '../kernel/field-problems.ts'
import { visible } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'

export const allowListLimits = policy.allowList

export const allowListLengths = { kind: 32, value: 256, label: 64 } as const

const kind = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, problem('kindForm'))
  .describe('The kind of address, such as `bitcoin` or `iban`')

/** Compared character by character: many addresses are case sensitive. */
const value = z
  .string()
  .trim()
  .min(1, problem('addressMissing'))
  .max(allowListLengths.value, problem('tooLong'))
  .refine((text) => !/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text), problem('addressCharacters'))

const label = z
  .string()
  .trim()
  .max(allowListLengths.label, problem('tooLong'))
  .refine((text) => text === '' || visible(z.string()).safeParse(text).success, problem('nameInvisibleCharacters'))

const passkey = passkeyAssertion.optional().describe('Required when the account has a passkey')

export const addAllowListEntryInput = z.object({ kind, value, label: label.default(''), passkey })

export const removeAllowListEntryInput = z.object({ id: z.string().min(1).max(64) })

export const setAllowListInput = z.object({ enabled: z.boolean(), passkey })

/** Strict: a mistyped field must not be ignored. */
export const checkAllowListEntryInput = z.strictObject({ userId: z.string().min(1).max(64), kind, value })
