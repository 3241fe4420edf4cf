import { z } from 'zod'
import { fieldLengths, problem } from './field-problems.ts'

/** ASCII: internationalized domains must use the `xn--` form. */
export const emailAddress = z
  .email(problem('emailInvalid'))
  .max(fieldLengths.email, problem('emailTooLong'))
  .regex(new RegExp(`^(?![^@]{${fieldLengths.emailLocalPart + 1},}@)`), problem('emailLocalPartTooLong'))
  .toLowerCase()

/** Limits the work only; `assertPasswordAllowed` checks the real length. */
export const password = z.string().min(1, problem('passwordMissing')).max(10_000, problem('tooLong'))

/** Refuses invisible and bidirectional characters: other users see names. */
export const personName = z
  .string()
  .trim()
  .min(1, { error: problem('nameMissing'), abort: true })
  .max(fieldLengths.name, problem('nameTooLong'))
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

/** Refuses credentials in the URL: pages that show the image would send them. */
export const imageUrl = z
  .url({ protocol: /^https?$/, error: 'Invalid URL: http or https only' })
  .max(2048)
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'Invalid URL: without user name and password',
  })
  .transform((url) => new URL(url).href)

export const riskLevel = z.enum(['conservative', 'moderate', 'aggressive'])

export const locale = z.enum(['en', 'fr'])

export const typedCode = z.string().min(1, problem('codeMissing')).max(128, problem('tooLong'))

export const oneTimeToken = z.string().min(1).max(512)

const scope = z.string().min(1).max(200)

export const callbackURL = z.string().max(2048).optional()

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
  /** Accepted here so that ID_TOKEN_NOT_SUPPORTED can explain the refusal. */
  idToken: z.unknown().optional(),
})

/** Returns a path on this origin, else null. Refuses every spelling that some browser or router reads as another host. */
export function rootRelativePath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2048 || !/^\/(?![/\\])/.test(value)) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
  if (/[\u0000-\u001f\u007f\\]/.test(value) || !value.isWellFormed()) return null
  const path = value.split(/[?#]/, 1)[0] ?? ''
  if (/%(2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(path) || path.includes('//')) return null
  const origin = 'http://floorpass.invalid'
  return URL.canParse(value, origin) && new URL(value, origin).origin === origin ? headerSafe(value) : null
}

export const headerSafe = (target: string): string => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
