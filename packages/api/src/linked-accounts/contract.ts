import { z } from 'zod'
import { startSocialInput } from '../kernel/fields.ts'

export const linkSocialAccountInput = startSocialInput

/** `accountId` is the row's id or the provider's id of the user. */
export const unlinkAccountInput = z
  .object({ accountId: z.string().min(1).max(255).optional(), providerId: z.string().min(1).max(64).optional() })
  .refine(({ accountId, providerId }) => accountId !== undefined || providerId !== undefined, 'Provide accountId or providerId')
