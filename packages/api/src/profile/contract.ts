import { z } from 'zod'
import { callbackURL, imageUrl, locale, oneTimeToken, password, personName, riskLevel } from '../kernel/fields.ts'

/** Loose, so that the procedure sees and names the fields that may not be set. */
export const updateUserInput = z.looseObject({
  name: personName.optional(),
  image: imageUrl.nullable().optional(),
  tradingEnabled: z.boolean().optional(),
  riskLevel: riskLevel.optional(),
  /** Of pages and mails. */
  locale: locale.optional(),
})

export const listActivityInput = z.object({
  cursor: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export const deleteUserInput = z.object({ password: password.optional(), token: oneTimeToken.optional(), callbackURL })
