import { z } from 'zod'

export const revokeSessionInput = z.object({ token: z.string().min(1).max(64) })
