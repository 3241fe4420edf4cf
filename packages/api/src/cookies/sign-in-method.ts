import { policy } from '../kernel/policy.ts'
import { type ProviderId, providerIds } from '../kernel/provider-ids.ts'
import {
  type CookieScope,
  clearFlowCookie,
  type FlowCookie,
  readFlowCookie,
  type SetsCookies,
  setFlowCookie,
} from './flow-cookie.ts'

export type SignInMethod = 'password' | 'passkey' | ProviderId

const methods: readonly SignInMethod[] = ['password', 'passkey', ...providerIds]

const cookie: FlowCookie<'sign_in_method'> = { name: 'sign_in_method', lifetime: policy.rememberSignInMethod }

type MethodCookie = SetsCookies<'sign_in_method'>

/** The page of the sign-in marks this method for a year (ADR 042). It names no account: people may share the browser. */
export const rememberSignInMethod = (ctx: CookieScope & MethodCookie, method: SignInMethod): void =>
  setFlowCookie(ctx, cookie, method)

/** Any other value is ignored: the caller can send what it likes. */
export function findSignInMethod(ctx: CookieScope): SignInMethod | null {
  const value = readFlowCookie(ctx, cookie)
  return methods.find((method) => method === value) ?? null
}

export function forgetSignInMethod(ctx: CookieScope & MethodCookie): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}
