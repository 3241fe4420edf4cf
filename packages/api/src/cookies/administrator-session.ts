import { policy } from '../kernel/policy.ts'
import {
  type CookieScope,
  clearFlowCookie,
  type FlowCookie,
  readFlowCookie,
  type SetsCookies,
  setFlowCookie,
} from './flow-cookie.ts'

const cookie: FlowCookie<'admin_session'> = { name: 'admin_session', lifetime: policy.administration.impersonationLifetime }

type AdministratorCookie = SetsCookies<'admin_session'>

/** Holds the token of an administrator's session while the session cookie holds that of the user (ADR 056). */
export const keepAdministratorSession = (ctx: CookieScope & AdministratorCookie, token: string): void =>
  setFlowCookie(ctx, cookie, token)

export const findAdministratorToken = (ctx: CookieScope): string | undefined => readFlowCookie(ctx, cookie)

export function forgetAdministratorSession(ctx: CookieScope & AdministratorCookie): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}
