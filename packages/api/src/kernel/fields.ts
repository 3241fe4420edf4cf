import { z } from 'zod'
import { fieldLengths, fieldProblems } from './field-problems.ts'

/** Lower case, ASCII: an internationalised domain is written in its `xn--` form. Not trimmed. */
export const emailAddress = z
  .email(fieldProblems.emailInvalid)
  .max(fieldLengths.email, fieldProblems.emailTooLong)
  .regex(new RegExp(`^(?![^@]{${fieldLengths.emailLocalPart + 1},}@)`), fieldProblems.emailLocalPartTooLong)
  .toLowerCase()

/** Any text up to 10,000 characters: the length rule has codes of its own, and must not hash a megabyte. */
export const password = z.string().min(1, fieldProblems.passwordMissing).max(10_000, fieldProblems.tooLong)

/** Shown to others, in mails too: nothing in it is invisible or turns the reading direction around. */
export const personName = z
  .string()
  .trim()
  .min(1, { error: fieldProblems.nameMissing, abort: true })
  .max(fieldLengths.name, fieldProblems.nameTooLong)
  .refine(
    (name) =>
      !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u200c|\u200d|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u.test(
        name,
      ),
    {
      error: fieldProblems.nameInvisibleCharacters,
    },
  )
  .refine((name) => /[^\s\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(name), {
    error: fieldProblems.nameInvisible,
  })

/** A picture's address. Without a user in it: the page that shows it would send the password along. */
export const imageUrl = z
  .url({ protocol: /^https?$/, error: 'Invalid URL: http or https only' })
  .max(2048)
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'Invalid URL: without user name and password',
  })
  .transform((url) => new URL(url).href)

export const riskLevel = z.enum(['conservative', 'moderate', 'aggressive'])

export const locale = z.enum(['en', 'fr'])

/** A two-factor code as it is typed or pasted. What is neither kind of code is a wrong one, and counts as a try. */
export const typedCode = z.string().min(1, fieldProblems.codeMissing).max(128, fieldProblems.tooLong)

export const oneTimeToken = z.string().min(1).max(512)

const scope = z.string().min(1).max(200)

export const callbackURL = z.string().max(2048).optional()

/** Both flows that go to a social provider, to sign in and to link, begin with this. */
export const startSocialInput = z.object({
  provider: z.string().min(1).max(64),
  callbackURL,
  errorCallbackURL: callbackURL,
  newUserCallbackURL: callbackURL,
  disableRedirect: z.boolean().default(false),
  /** In a query: separated by commas. */
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
  /** Refused by name: identities come through the redirect only. */
  idToken: z.unknown().optional(),
})

/**
 * The value itself when it is a path on this origin (`/dashboard?tab=1#top`), else null. Refuses everything that some browser
 * or router reads as another host: `//host`, `/\host`, control characters, encoded slashes.
 */
export function rootRelativePath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2048 || !/^\/(?![/\\])/.test(value)) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(value) || !value.isWellFormed()) return null
  const path = value.split(/[?#]/, 1)[0] ?? ''
  if (/%(2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(path) || path.includes('//')) return null
  const origin = 'http://floorpass.invalid'
  return URL.canParse(value, origin) && new URL(value, origin).origin === origin ? headerSafe(value) : null
}

/** A Location header holds ASCII only: what is beyond it goes percent-encoded, the rest stays as it was written. */
export const headerSafe = (target: string): string => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
