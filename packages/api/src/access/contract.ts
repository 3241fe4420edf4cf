import { z } from 'zod'
import { roles } from '../kernel/roles.ts'

export { type Scope, scopes } from '../kernel/scopes.ts'

import { authenticationFields } from '../sessions/contract.ts'

const resource = z.string().min(1).max(255)

/** Unknown parameters are refused: a requirement with a typing error must not pass everybody. */
export const verifyInput = z.strictObject({
  ...authenticationFields,
  scope: z
    .string()
    .regex(/^[\w:.-]+([ ,]+[\w:.-]+)*$/)
    .max(255)
    .transform((text) => text.split(/[ ,]+/))
    .optional()
    .describe('Scopes that the caller must have, separated by spaces or commas'),
  org: z.string().min(1).max(64).optional().describe('The id of the organization that the caller must be a member of'),
  role: z.enum(roles).optional().describe('The least role, in `org` or in the active organization'),
  audience: resource.optional().describe('The audience that an access token must have. Default: BASE_URL'),
  token: resource.optional().describe('Answers with an access token for this audience in x-auth-token'),
  redirect: z.literal('1').optional().describe('Redirects to the sign-in page instead of 401'),
})
export type Requirements = z.output<typeof verifyInput>

export const getTokenInput = z.strictObject({
  ...authenticationFields,
  audience: resource.optional().describe('One of TOKEN_AUDIENCES. Default: BASE_URL'),
  scope: z.literal('email').optional().describe('Adds the claims email and email_verified'),
})

/** RFC 7662 2.1. */
export const introspectInput = z.object({ token: z.string().min(1).max(4096) })
