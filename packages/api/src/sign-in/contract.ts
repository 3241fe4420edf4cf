import { z } from 'zod'
import { problem } from '../kernel/field-problems.ts'
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
import { policy } from '../kernel/policy.ts'
import { providerIds } from '../kernel/provider-ids.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'
import { authenticationFields } from '../sessions/contract.ts'

export const signUpEmailInput = z.object({
  name: personName,
  email: emailAddress,
  password,
  image: imageUrl.optional(),
  /** Validated and ignored: trading is off until the signed-in user enables it. */
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

// Anyone can craft a callback URL: treat a malformed parameter as absent, so that the user gets a page.
const callbackParameter = z.string().min(1).max(4096).optional().catch(undefined)

export const reauthenticateInput = startSocialInput
  .pick({ callbackURL: true, errorCallbackURL: true, disableRedirect: true })
  .extend({
    password: password.optional(),
    code: typedCode.optional(),
    provider: startSocialInput.shape.provider.optional(),
    sendEmail: z.literal(true).optional(),
    token: oneTimeToken.optional(),
    passkey: passkeyAssertion.optional(),
  })
  .refine(
    ({ password, code, provider, sendEmail, token, passkey }) =>
      countDefined(password, code, provider, sendEmail, token, passkey) === 1,
    { path: ['password'], message: problem('passwordOrCodeMissing') },
  )

const countDefined = (...values: unknown[]): number => values.filter((value) => value !== undefined).length

export const finishSocialInput = z.object({
  provider: z.enum(providerIds),
  code: callbackParameter,
  state: callbackParameter,
  error: callbackParameter,
  iss: z.string().max(4096).optional().catch(''),
})

/** In seconds: how recent a proof sensitive changes need. */
export const { reauthenticationAge } = policy.session

export const getReauthenticationInput = z.object(authenticationFields).optional()
