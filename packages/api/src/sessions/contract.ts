import { z } from 'zod'

export const revokeSessionInput = z.object({ token: z.string().min(1).max(64) })

/** Authentication strength, weakest first. `aal2`: the person used a second factor in this session. */
export const acrValues = ['aal1', 'aal2'] as const
export type Acr = (typeof acrValues)[number]
