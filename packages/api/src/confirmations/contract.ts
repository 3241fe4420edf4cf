import { z } from 'zod'
import { typedCode } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'

const { longestLifetime, details, size, depth } = policy.confirmations

const id = z.string().min(1).max(64)

/** RFC 9396: each has a `type`. The service that reads it defines the other members. */
export type AuthorizationDetail = { type: string; [member: string]: unknown }

const typeName = z
  .string()
  .regex(/^[!-~]{1,128}$/, 'Use 1 to 128 visible ASCII characters')
  .describe('Such as `withdrawal`')

/** Finds a value that a page or a verifier in another language would lose or change. */
function findProblem(value: unknown, level: number): string | null {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return 'Use whole numbers up to 2^53 - 1, and write amounts as strings'
  if (typeof value !== 'object' || value === null) return null
  if (level > depth) return `Nested deeper than ${depth} levels`
  for (const [name, member] of Object.entries(value)) {
    // The validator drops this name, and libraries in other languages may too.
    if (name === '__proto__') return 'A member must not be named __proto__'
    const problem = findProblem(member, level + 1)
    if (problem !== null) return problem
  }
  return null
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? '').length

const authorizationDetails = z.preprocess(
  (given, ctx) => {
    const problem = findProblem(given, 0) ?? (bytesOf(given) > size ? `Larger than ${size / 1024} KiB of JSON` : null)
    if (problem !== null) ctx.addIssue(problem)
    return problem === null ? given : z.NEVER
  },
  z
    .array(z.looseObject({ type: typeName }))
    .min(1)
    .max(details),
)

export const createConfirmationInput = z.object({
  type: typeName.optional(),
  authorization_details: authorizationDetails.describe(
    `What the user confirms (RFC 9396): 1 to ${details} objects with a \`type\`, ${size / 1024} KiB together`,
  ),
  audience: z.string().min(1).max(255),
  ttl: z.number().int().min(1).max(longestLifetime).default(longestLifetime),
  userId: id.optional(),
  sessionId: id.optional(),
})

export type CreateConfirmation = z.output<typeof createConfirmationInput>

export const createOwnConfirmationInput = createConfirmationInput.refine(
  ({ userId, sessionId }) => userId === undefined && sessionId === undefined,
  'A confirmation is created for the session of the caller: leave out userId and sessionId',
)

export const createConfirmationForUserInput = createConfirmationInput.required({ userId: true, sessionId: true })

export const confirmationInput = z.object({ id })

export const approveConfirmationInput = z.object({ id, response: passkeyAssertion.optional(), code: typedCode.optional() })

export const consumeConfirmationInput = z.object({ jti: id, audience: z.string().min(1).max(255).optional() })
