import { type Context, createContext, type Log, sharedCookieName } from '@floorpass/api'
import type { EdgeService } from '../edge-service.ts'
import { bearerToken } from './bearer.ts'
import { clientAddress } from './client-address.ts'
import { cookieValues, requestCookies } from './cookies.ts'
import { preferredLocale, readLocaleCookie } from './locale.ts'
import { printable } from './printable.ts'
import { readSignedRequest } from './signed-request.ts'

type Caller = { peerAddress: string | null; isHttps: boolean; isPage?: boolean; header(name: string): string | null }

/** Collects in `setCookies` what the procedures set. */
export function openContext(
  { deps, trustedProxies }: EdgeService,
  log: Log,
  { peerAddress, isHttps, isPage = false, header }: Caller,
  setCookies: string[],
): Context {
  const cookieHeader = header('cookie')
  const cookies = requestCookies(cookieHeader)
  // No server calls a page, so its cookie without the host's own was planted by a sibling (login CSRF).
  if (isPage) cookies.delete(sharedCookieName)
  const client = {
    ip: clientAddress(peerAddress, header('x-forwarded-for'), trustedProxies),
    userAgent: printable(header('user-agent') ?? ''),
    locale: preferredLocale(readLocaleCookie(cookies, deps.settings.cookie.secure), header('accept-language') ?? undefined),
    bearer: bearerToken(header('authorization')),
    serviceKey: header('x-service-key'),
    apiKey: header('x-api-key'),
    signedRequest: readSignedRequest(header),
  }
  return createContext({ ...deps, log }, client, {
    get: (name) => cookies.get(name),
    all: (name) => cookieValues(cookieHeader, name),
    set: (setCookie) => replaceCookie(cookies, setCookies, isHttps ? toSecure(setCookie) : setCookie),
  })
}

/** BASE_URL decides the names of cookies, so they are the same over http and https; the request decides about `Secure` too. */
const toSecure = (setCookie: string): string => (/; Secure(;|$)/.test(setCookie) ? setCookie : `${setCookie}; Secure`)

/** The last Set-Cookie for a name wins, in the response and for the rest of this request. */
function replaceCookie(cookies: Map<string, string>, setCookies: string[], setCookie: string): void {
  const [pair = ''] = setCookie.split(';')
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(name.length + 1)
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
  const former = setCookies.findIndex((known) => known.startsWith(`${name}=`))
  if (former >= 0) setCookies.splice(former, 1)
  setCookies.push(setCookie)
}
