import { z } from 'zod'
import { oneTimeToken, typedCode, visible } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'

const passkey = passkeyAssertion.optional().describe('A passkey assertion with user verification')

export const lockAccountInput = z.object({
  days: z.int().min(1).max(30).describe('How many days unlocking takes'),
  passkey,
})

export const unlockWithKeyInput = z.object({ key: typedCode, passkey })

export const liftHoldInput = z.object({ passkey })

export const undoPanicInput = z.object({ passkey })

/** Without addresses: mail programs turn them into links. */
const phrase = visible(z.string().trim().min(1).max(policy.phraseLength)).refine(
  (text) => !/[@:/\\<>]|\S[.。．｡]\S/u.test(text.normalize('NFKC')),
  'Leave out anything that looks like an address',
)

export const setPhraseInput = z.object({ phrase: phrase.nullable().describe('Null removes it') })

export const panicInput = z.object({ token: oneTimeToken })
