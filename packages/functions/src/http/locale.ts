import type { Context, Locale } from '@floorpass/api'
import { parseAccept } from 'hono/utils/accept'

const cookieName = (secure: boolean): string => (secure ? '__Host-floorpass_locale' : 'floorpass_locale')
const oneYear = 365 * 24 * 60 * 60

/** The language of a visitor: our cookie, else the preferred one of Accept-Language that we support, else English. */
export function preferredLocale(cookie: string | undefined, acceptLanguage: string | undefined): Locale {
  if (cookie === 'en' || cookie === 'fr') return cookie
  const languages = parseAccept(acceptLanguage ?? '').map(({ type, q }) => ({ language: type.toLowerCase().split('-')[0], q }))
  const known = languages.filter(({ language, q }) => q > 0 && (language === 'en' || language === 'fr'))
  known.sort((left, right) => right.q - left.q)
  return known[0]?.language === 'fr' ? 'fr' : 'en'
}

/** The language of the signed-in account, else of the visitor. If the database is down, the visitor's. */
export async function spokenLocale({ findSession, client }: Context): Promise<Locale> {
  const active = await findSession().catch(() => null)
  return active?.user.locale ?? client.locale
}

export const readLocaleCookie = (cookies: Map<string, string>, secure: boolean): string | undefined =>
  cookies.get(cookieName(secure))

export const localeCookie = (locale: Locale, secure: boolean): string =>
  `${cookieName(secure)}=${locale}; Path=/; Max-Age=${oneYear}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
