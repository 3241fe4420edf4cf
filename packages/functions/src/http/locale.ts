import { type Context, defaultLocale, findLocale, type Locale, toLocale } from '@floorpass/api'
import { parseAccept } from 'hono/utils/accept'

const cookieName = (secure: boolean): string => (secure ? '__Host-floorpass_locale' : 'floorpass_locale')
const oneYear = 365 * 24 * 60 * 60

/** The language of a visitor: our cookie, else the preferred one of Accept-Language that we have, else English. */
export function preferredLocale(cookie: string | undefined, acceptLanguage: string | undefined): Locale {
  const chosen = findLocale(cookie)
  if (chosen) return chosen
  const accepted = parseAccept(acceptLanguage ?? '')
    .filter(({ q }) => q > 0)
    .toSorted((left, right) => right.q - left.q)
    .map(({ type }) => findLocale(type.toLowerCase().split('-')[0]))
  return accepted.find((locale) => locale !== undefined) ?? defaultLocale
}

/** The language of the signed-in account, else of the visitor. If the database is down, the visitor's. */
export async function spokenLocale({ findSession, client }: Context): Promise<Locale> {
  const active = await findSession().catch(() => null)
  return active ? toLocale(active.user.locale) : client.locale
}

export const readLocaleCookie = (cookies: Map<string, string>, secure: boolean): string | undefined =>
  cookies.get(cookieName(secure))

export const localeCookie = (locale: Locale, secure: boolean): string =>
  `${cookieName(secure)}=${locale}; Path=/; Max-Age=${oneYear}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
