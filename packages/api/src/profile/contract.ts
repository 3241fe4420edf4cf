import { z } from 'zod'
import { callbackURL, imageUrl, locale, oneTimeToken, password, personName, riskLevel } from '../kernel/fields.ts'

/** Loose, so that `updateUser` can name the forbidden fields. */
export const updateUserInput = z.looseObject({
  name: personName.optional(),
  image: imageUrl.nullable().optional(),
  tradingEnabled: z.boolean().optional(),
  riskLevel: riskLevel.optional(),
  locale: locale.optional(),
})

export const listActivityInput = z.object({
  cursor: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export const deleteUserInput = z.object({ password: password.optional(), token: oneTimeToken.optional(), callbackURL })
