import { z } from 'zod'
import { fieldProblems } from '../kernel/field-problems.ts'
import {
  callbackURL,
  emailAddress,
  imageUrl,
  oneTimeToken,
  password,
  personName,
  riskLevel,
  startSocialInput,
  typedCode,
} from '../kernel/fields.ts'
import { providerIds } from '../kernel/provider-ids.ts'

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

/** One proof, or the start of one: `provider` answers a URL to go to, `sendEmail` mails a link whose `token` is the proof. */
export const reauthenticateInput = startSocialInput
  .pick({ callbackURL: true, errorCallbackURL: true, disableRedirect: true })
  .extend({
    password: password.optional(),
    code: typedCode.optional(),
    provider: startSocialInput.shape.provider.optional(),
    sendEmail: z.literal(true).optional(),
    token: oneTimeToken.optional(),
  })
  .refine(({ password, code, provider, sendEmail, token }) => count(password, code, provider, sendEmail, token) === 1, {
    path: ['password'],
    message: fieldProblems.proofMissing,
  })

const count = (...values: unknown[]): number => values.filter((value) => value !== undefined).length

export const finishSocialInput = z.object({
  provider: z.enum(providerIds),
  code: parameter,
  state: parameter,
  error: parameter,
  /** Odd is not absent here: it is a mismatch. */
  iss: z.string().max(4096).optional().catch(''),
})
