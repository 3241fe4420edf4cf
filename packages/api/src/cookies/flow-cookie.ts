import type { Cookies } from '../kernel/request.ts'
import type { Settings } from '../kernel/settings.ts'

export type CookieScope = { cookies: Cookies; settings: Settings }

export type FlowCookie = { name: 'flow' | 'two_factor' | 'trusted_device' | 'known_device'; lifetime: number }

const fullName = (ctx: Pick<CookieScope, 'settings'>, { name }: FlowCookie): string =>
  `${ctx.settings.cookie.secure ? '__Host-' : ''}floorpass_${name}`

export const readFlowCookie = (ctx: CookieScope, cookie: FlowCookie): string | undefined => ctx.cookies.get(fullName(ctx, cookie))

export const setFlowCookie = (ctx: CookieScope, cookie: FlowCookie, value: string): void =>
  setCookie(ctx, cookie, value, cookie.lifetime)

export const clearFlowCookie = (ctx: CookieScope, cookie: FlowCookie): void => setCookie(ctx, cookie, '', 0)

function setCookie(ctx: CookieScope, cookie: FlowCookie, value: string, maxAge: number): void {
  const { secure, sameSite } = ctx.settings.cookie
  const attributes = [
    'HttpOnly',
    `Max-Age=${maxAge}`,
    'Path=/',
    `SameSite=${sameSite === 'none' ? 'None' : 'Lax'}`,
    ...(secure ? ['Secure'] : []),
  ]
  ctx.cookies.set([`${fullName(ctx, cookie)}=${value}`, ...attributes].join('; '))
}
