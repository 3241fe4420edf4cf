import { z } from 'zod'
import { nickname } from '../kernel/fields.ts'

const handle = z.string().min(1).max(64)

export const revokeSessionInput = z.object({ token: handle })

export const nameSessionInput = z.object({ token: handle, nickname: nickname.nullable().describe('Null removes it') })

/** Authentication strength, weakest first. `aal2`: the person used a second factor in this session. */
export const acrValues = ['aal1', 'aal2'] as const
export type Acr = (typeof acrValues)[number]

const seconds = z
  .string()
  .regex(/^\d{1,8}$/, 'must be a number of seconds')
  .transform(Number)

/** What a service may require of a sign-in (RFC 9470). */
export const authenticationFields = {
  acr: z.enum(acrValues).optional().describe('The least authentication strength'),
  max_age: seconds.optional().describe('The longest time since the person proved who they are, in seconds'),
}
