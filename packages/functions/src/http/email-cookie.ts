import type { Cookies, SecretBox } from '@floorpass/api'
import { fieldLengths } from '@floorpass/api/contracts'

type EmailScope = { cookies: Cookies; secretBox: SecretBox; settings: { cookie: { secure: boolean } } }

type CarriedEmail = { email: string; until: number }

const lifetime = 10 * 60
const place = ['email'] as const

const cookieName = (secure: boolean): string => (secure ? '__Host-floorpass_email' : 'floorpass_email')

/** Keeps a typed address for the next form, without a URL (ADR 042). */
export function carryEmail({ cookies, secretBox, settings }: EmailScope, email: string): void {
  if (email === '' || email.length > fieldLengths.email) return
  const carried: CarriedEmail = { email, until: Date.now() + lifetime * 1000 }
  cookies.set(toHeader(secretBox.seal(JSON.stringify(carried), place), lifetime, settings.cookie.secure))
}

/** Empty when no form carried an address in the last ten minutes. */
export function getCarriedEmail({ cookies, secretBox, settings }: EmailScope): string {
  const sealed = cookies.get(cookieName(settings.cookie.secure))
  if (sealed === undefined) return ''
  try {
    const { email, until } = JSON.parse(secretBox.open(sealed, place)) as CarriedEmail
    return until > Date.now() ? email : ''
  } catch {
    // Altered, or sealed with a retired secret.
    return ''
  }
}

export function dropCarriedEmail({ cookies, settings }: EmailScope): void {
  const { secure } = settings.cookie
  if (cookies.get(cookieName(secure)) !== undefined) cookies.set(toHeader('', 0, secure))
}

const toHeader = (value: string, maxAge: number, secure: boolean): string =>
  `${cookieName(secure)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
