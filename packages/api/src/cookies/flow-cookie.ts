import type { Cookies } from '../kernel/request.ts'
import type { Settings } from '../kernel/settings.ts'

export type CookieScope = { cookies: Cookies; settings: Settings }

type FlowCookieName = 'flow' | 'two_factor' | 'trusted_device' | 'known_device' | 'passkey' | 'sign_in_method' | 'admin_session'

export type CookieName = 'session' | FlowCookieName

export type FlowCookie<Name extends FlowCookieName = FlowCookieName> = { name: Name; lifetime: number }

/** A context that may set these cookies. A helper that sets one asks for it. */
export type SetsCookies<Name extends CookieName> = { setCookie: (name: Name, header: string) => void }

const fullName = (ctx: Pick<CookieScope, 'settings'>, { name }: FlowCookie): string =>
  `${ctx.settings.cookie.secure ? '__Host-' : ''}floorpass_${name}`

export const readFlowCookie = (ctx: CookieScope, cookie: FlowCookie): string | undefined => ctx.cookies.get(fullName(ctx, cookie))

type SettingScope<Name extends FlowCookieName> = Pick<CookieScope, 'settings'> & SetsCookies<Name>

export const setFlowCookie = <Name extends FlowCookieName>(
  ctx: SettingScope<Name>,
  cookie: FlowCookie<Name>,
  value: string,
): void => setCookie(ctx, cookie, value, cookie.lifetime)

export const clearFlowCookie = <Name extends FlowCookieName>(ctx: SettingScope<Name>, cookie: FlowCookie<Name>): void =>
  setCookie(ctx, cookie, '', 0)

function setCookie<Name extends FlowCookieName>(
  ctx: SettingScope<Name>,
  cookie: FlowCookie<Name>,
  value: string,
  maxAge: number,
): void {
  const { secure, sameSite } = ctx.settings.cookie
  const attributes = [
    'HttpOnly',
    `Max-Age=${maxAge}`,
    'Path=/',
    `SameSite=${sameSite === 'none' ? 'None' : 'Lax'}`,
    ...(secure ? ['Secure'] : []),
  ]
  ctx.setCookie(cookie.name, [`${fullName(ctx, cookie)}=${value}`, ...attributes].join('; '))
}
