import { z } from 'zod'

/** `token` is the handle from list-sessions or get-session. */
export const revokeSessionInput = z.object({ token: z.string().min(1).max(64) })
