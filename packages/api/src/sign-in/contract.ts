import { z } from 'zod'
import { callbackURL, emailAddress, imageUrl, password, personName, riskLevel } from '../fields.ts'
import { providerIds } from '../provider-ids.ts'

export const signUpEmailInput = z.object({
  name: personName,
  email: emailAddress,
  password,
  image: imageUrl.optional(),
  /** Checked, not kept: trading starts switched off, and only a signed-in person switches it on. */
  tradingEnabled: z.boolean().optional(),
  riskLevel: riskLevel.optional(),
  callbackURL,
})

export const signInEmailInput = z.object({
  email: emailAddress,
  password,
  rememberMe: z.boolean().default(true),
  callbackURL,
})

// What comes back in the URL is the provider's, or anybody's: what is odd is taken for absent, and the person gets a page.
const parameter = z.string().min(1).max(4096).optional().catch(undefined)

export const finishSocialInput = z.object({
  provider: z.enum(providerIds),
  code: parameter,
  state: parameter,
  error: parameter,
  /** Odd is not absent here: it is a mismatch. */
  iss: z.string().max(4096).optional().catch(''),
})
