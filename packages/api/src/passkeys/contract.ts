import { z } from 'zod'
import { callbackURL, emailAddress, oneTimeToken, personName } from '../kernel/fields.ts'

const base64url = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[A-Za-z0-9_-]+$/, 'Not base64url')

/** WebAuthn: at most 1023 bytes. */
const credentialId = base64url(1364)

/** The browser library adds fields that the service does not read. */
const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') }

const transports = z.array(z.string().regex(/^[a-z0-9-]{1,32}$/)).max(10)

const passkeyRegistration = z.object({
  ...credential,
  response: z.object({
    attestationObject: base64url(40_000),
    clientDataJSON: base64url(4096),
    transports: transports.optional(),
  }),
})

export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    authenticatorData: base64url(8192),
    clientDataJSON: base64url(4096),
    signature: base64url(8192),
    userHandle: base64url(128).nullish(),
  }),
})

export type PasskeyRegistration = z.infer<typeof passkeyRegistration>
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>

const passkeyId = z.string().min(1).max(64)

const registrationOptions = z.object({
  name: personName.optional(),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
})

export const startRegistrationInput = registrationOptions.optional()

export const startRegistrationByLinkInput = registrationOptions.extend({ context: oneTimeToken })

export const registrationOptionsInput = registrationOptions.extend({ context: oneTimeToken.optional() })

export type StartRegistration = z.infer<typeof startRegistrationInput>

export const registerPasskeyInput = z.object({ response: passkeyRegistration, name: personName.optional() })

export type RegisterPasskey = z.infer<typeof registerPasskeyInput>

/** `createSession` asks for the first passkey of a sign-up. */
export const verifyRegistrationInput = registerPasskeyInput.extend({ createSession: z.boolean().optional() })

export const signUpPasskeyInput = z.object({ name: personName, email: emailAddress, callbackURL })

export const signUpLinkInput = z.object({ token: oneTimeToken })

/** Of a query string. `discoverable` lists no passkeys, so that the person picks one. */
export const authenticationOptionsInput = z.object({ discoverable: z.stringbool().optional() })

export const startAuthenticationInput = authenticationOptionsInput.optional()

export const signInPasskeyInput = z.object({ response: passkeyAssertion, rememberMe: z.boolean().default(true), callbackURL })

export const renamePasskeyInput = z.object({ id: passkeyId, name: personName })

export const removePasskeyInput = z.object({ id: passkeyId })
