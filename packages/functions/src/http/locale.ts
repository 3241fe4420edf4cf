import type { Context, Locale } from '@floorpass/api'
import { parseAccept } from 'hono/utils/accept'

/** The service's own name, as its other cookies have: the host may serve more than this service. */
const cookieName = (secure: boolean): string => (secure ? '__Host-floorpass_locale' : 'floorpass_locale')
const aYear = 365 * 24 * 60 * 60

/** The language that a browser asks for: the one chosen in it (our cookie), else the first of Accept-Language that we have, else English. */
export function preferredLocale(cookie: string | undefined, acceptLanguage: string | undefined): Locale {
  if (cookie === 'en' || cookie === 'fr') return cookie
  const languages = parseAccept(acceptLanguage ?? '').map(({ type, q }) => ({ language: type.toLowerCase().split('-')[0], q }))
  const known = languages.filter(({ language, q }) => q > 0 && (language === 'en' || language === 'fr'))
  known.sort((left, right) => right.q - left.q)
  return known[0]?.language === 'fr' ? 'fr' : 'en'
}

/** The language to speak: that of the account, where somebody is signed in. A database that is away changes no language. */
export async function spokenLocale({ findSession, client }: Context): Promise<Locale> {
  const active = await findSession().catch(() => null)
  return active?.user.locale ?? client.locale
}

export const readLocaleCookie = (cookies: Map<string, string>, secure: boolean): string | undefined =>
  cookies.get(cookieName(secure))

/** A Set-Cookie value. No secret: it says nothing but `en` or `fr`. */
export const localeCookie = (locale: Locale, secure: boolean): string =>
  `${cookieName(secure)}=${locale}; Path=/; Max-Age=${aYear}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
