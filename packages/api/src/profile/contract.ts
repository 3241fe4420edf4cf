import { z } from 'zod'
import { callbackURL, imageUrl, locale, oneTimeToken, password, personName, riskLevel } from '../fields.ts'

/** Loose, so that the procedure sees and names the fields that may not be set. */
export const updateUserInput = z.looseObject({
  name: personName.optional(),
  image: imageUrl.nullable().optional(),
  tradingEnabled: z.boolean().optional(),
  riskLevel: riskLevel.optional(),
  /** Of pages and mails. */
  locale: locale.optional(),
})

export const deleteUserInput = z.object({ password: password.optional(), token: oneTimeToken.optional(), callbackURL })
