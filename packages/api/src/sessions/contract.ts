import { z } from 'zod'

/** `token` is the handle that list-sessions and get-session show. */
export const revokeSessionInput = z.object({ token: z.string().min(1).max(64) })
