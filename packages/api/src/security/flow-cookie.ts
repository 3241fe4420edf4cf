import type { Context } from '../context.ts'

/** A short-lived cookie that ties a flow to the browser that began it. It opens nothing by itself. */
export type FlowCookie = { name: 'flow' | 'two_factor'; lifetime: number }

const fullName = (ctx: Context, { name }: FlowCookie): string => `${ctx.settings.cookie.secure ? '__Host-' : ''}floorpass_${name}`

export const readFlowCookie = (ctx: Context, cookie: FlowCookie): string | undefined => ctx.cookies.get(fullName(ctx, cookie))

export const setFlowCookie = (ctx: Context, cookie: FlowCookie, value: string): void => write(ctx, cookie, value, cookie.lifetime)

export const clearFlowCookie = (ctx: Context, cookie: FlowCookie): void => write(ctx, cookie, '', 0)

function write(ctx: Context, cookie: FlowCookie, value: string, maxAge: number): void {
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
