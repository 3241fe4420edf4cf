import type { Queryable, Session } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { rememberSignInMethod, type SignInMethod } from '../cookies/sign-in-method.ts'
import { type DeviceAccount, rememberDevice } from '../known-devices/known-device.ts'
import { type AuthenticationMethod, isPasskeyMethod } from '../sessions/authentication.ts'
import { clearSessionCookie, endPresentedSession, setSessionCookie, startSession } from '../sessions/session-store.ts'
import {
  clearChallenge,
  getFirstFactor,
  getSignInMethod,
  issueChallenge,
  type SignInIntent,
  setChallengeCookie,
} from '../two-factor/challenge.ts'
import { renewTrust, setTrustCookie, type TrustToken } from '../two-factor/trusted-device.ts'

export type SignInResult = OpenedSession | { challenge: string }

type OpenedSession = {
  session: Session
  token: string
  method: SignInMethod
  trust: TrustToken | null
  account: DeviceAccount | null
}

/** What a sign-in may record and set. A first sign-in at a provider is a sign-up. */
export const signInActions = ['sign-in', 'sign-up', 'two-factor-challenge'] as const
export const signInCookies = ['session', 'two_factor', 'trusted_device', 'known_device', 'sign_in_method'] as const

export type SignInContext = Context & Records<(typeof signInActions)[number]>
export type SetsSignInCookies = SetsCookies<(typeof signInCookies)[number]>

export type SignInRequirements = { twoFactorEnabled: boolean; account: DeviceAccount | null }

export async function findSignInRequirements(tx: Queryable, userId: string): Promise<SignInRequirements | null> {
  const [row] = await tx.$queryRaw<{ twoFactorEnabled: boolean; id: string | null; deviceEpoch: number | null }[]>`
    SELECT u.two_factor_enabled AS "twoFactorEnabled", a.id, a.device_epoch AS "deviceEpoch" FROM users u
    LEFT JOIN accounts a ON a.user_id = u.id AND a.provider_id = 'credential' AND a.password_hash IS NOT NULL WHERE u.id = ${userId}`
  if (!row) return null
  const { twoFactorEnabled, id, deviceEpoch } = row
  return { twoFactorEnabled, account: id === null || deviceEpoch === null ? null : { id, deviceEpoch } }
}

/** Hold the user's lock, so that a factor enabled meanwhile is seen. After the commit, call `setSignInCookies`. */
export async function completeSignIn(
  ctx: SignInContext,
  tx: Queryable,
  userId: string,
  intent: SignInIntent,
  requirements: SignInRequirements | null,
): Promise<SignInResult> {
  if (!requirements) throw new Error('sign-in requirements missing: the locked user no longer exists')
  const { twoFactorEnabled, account } = requirements
  const trust = twoFactorEnabled ? await renewTrust(ctx, tx, userId) : null
  if (!twoFactorEnabled || trust) {
    const details = trust ? { factor: 'trusted-device' } : {}
    return openSession(ctx, tx, userId, intent, { details, trust, account })
  }
  return requireSecondFactor(ctx, tx, userId, intent)
}

/** Ends the session in this browser's cookie, and starts a challenge. */
export async function requireSecondFactor(
  ctx: Context & Records<'two-factor-challenge'>,
  tx: Queryable,
  userId: string,
  intent: SignInIntent,
): Promise<{ challenge: string }> {
  await endPresentedSession(ctx, tx)
  const details = intent.provider === undefined ? {} : { provider: intent.provider }
  await ctx.record(tx, { userId, action: 'two-factor-challenge', details })
  return { challenge: await issueChallenge(ctx, tx, userId, intent) }
}

type OpenOptions = {
  details: object
  trust: TrustToken | null
  account: DeviceAccount | null
  /** A passkey that verified its user is both factors. */
  secondFactor?: { method: AuthenticationMethod; at: Date; verifiesUser?: boolean }
}

export async function openSession(
  ctx: Context & Records<'sign-in' | 'sign-up'>,
  tx: Queryable,
  userId: string,
  intent: SignInIntent,
  { details, trust, account, secondFactor }: OpenOptions,
): Promise<OpenedSession> {
  const { remember, authenticatedAt = null, provider, isNew } = intent
  const authenticationMethods = [...new Set([getFirstFactor(intent), ...(secondFactor ? [secondFactor.method] : [])])]
  const secondFactorAt = secondFactor?.at ?? null
  const passkeyAt = secondFactor?.verifiesUser && isPasskeyMethod(secondFactor.method) ? secondFactor.at : null
  const trustedDeviceId = trust?.device.id ?? null
  const [started] = await Promise.all([
    startSession(ctx, tx, {
      userId,
      remember,
      authenticatedAt,
      trustedDeviceId,
      authenticationMethods,
      secondFactorAt,
      passkeyAt,
    }),
    ctx.record(tx, {
      userId,
      action: isNew ? 'sign-up' : 'sign-in',
      details: { ...(provider !== undefined && { provider }), ...details },
    }),
  ])
  return { ...started, method: getSignInMethod(intent), trust, account }
}

export function setSignInCookies(ctx: Context & SetsSignInCookies, result: SignInResult): Session | null {
  if ('challenge' in result) {
    clearSessionCookie(ctx)
    setChallengeCookie(ctx, result.challenge)
    return null
  }
  setSessionCookie(ctx, result.token, result.session)
  if (result.trust) setTrustCookie(ctx, result.trust)
  if (result.account) rememberDevice(ctx, result.account)
  rememberSignInMethod(ctx, result.method)
  clearChallenge(ctx)
  return result.session
}
