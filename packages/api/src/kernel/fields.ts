import { z } from 'zod'
import { fieldLengths, problem } from './field-problems.ts'
import { locales } from './locale.ts'

/** ASCII: internationalized domains must use the `xn--` form. */
export const emailAddress = z
  .email(problem('emailInvalid'))
  .max(fieldLengths.email, problem('emailTooLong'))
  .regex(new RegExp(`^(?![^@]{${fieldLengths.emailLocalPart + 1},}@)`), problem('emailLocalPartTooLong'))
  .toLowerCase()

/** Limits the work only; `assertPasswordAllowed` checks the real length. */
export const password = z.string().min(1, problem('passwordMissing')).max(10_000, problem('tooLong'))

const name = z
  .string()
  .trim()
  .min(1, { error: problem('nameMissing'), abort: true })

/** Refuses invisible and bidirectional characters: other users see names. */
export const visible = (text: z.ZodString) =>
  text
    .refine(
      (name) =>
        !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u200c|\u200d|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u.test(
          name,
        ),
      {
        error: problem('nameInvisibleCharacters'),
      },
    )
    .refine((name) => /[^\s\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(name), {
      error: problem('nameInvisible'),
    })

export const personName = visible(name.max(fieldLengths.name, problem('nameTooLong')))

export const nickname = visible(name.max(50, problem('tooLong')))

/** Refuses credentials in the URL: pages that show the image would send them. */
export const imageUrl = z
  .url({ protocol: /^https?$/, error: 'Invalid URL: http or https only' })
  .max(2048)
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'Invalid URL: without user name and password',
  })
  .transform((url) => new URL(url).href)

export const riskLevel = z.enum(['conservative', 'moderate', 'aggressive'])

export const locale = z.enum(locales)

export const typedCode = z.string().min(1, problem('codeMissing')).max(128, problem('tooLong'))

export const oneTimeToken = z.string().min(1).max(512)

const scope = z.string().min(1).max(200)

export const longestTarget = 2048

export const callbackURL = z.string().max(longestTarget).optional()

/** These parameters decide where the code goes, what it is bound to and what it grants. */
const reservedParameters = [
  'claims',
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'max_age',
  'nonce',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]

const additionalParams = z
  .record(z.string().min(1).max(64), z.string().max(500))
  .refine((params) => Object.keys(params).length <= 20, 'Too many: at most 20')
  .refine(
    (params) => !Object.keys(params).some((name) => reservedParameters.includes(name.toLowerCase())),
    `Reserved parameters: ${reservedParameters.join(', ')}`,
  )

export const startSocialInput = z.object({
  provider: z.string().min(1).max(64),
  callbackURL,
  errorCallbackURL: callbackURL,
  newUserCallbackURL: callbackURL,
  disableRedirect: z.boolean().default(false),
  scopes: z
    .union([
      z.array(scope).max(20),
      z
        .string()
        .max(2000)
        .transform((list) => list.split(',').filter(Boolean)),
    ])
    .default([]),
  loginHint: z.string().max(fieldLengths.email).optional(),
  additionalParams: additionalParams.optional(),
  /** Accepted here so that ID_TOKEN_NOT_SUPPORTED can explain the refusal. */
  idToken: z.unknown().optional(),
})

export const headerSafe = (target: string): string => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
