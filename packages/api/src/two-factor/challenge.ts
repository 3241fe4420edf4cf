import type { Queryable, Transaction, User, Verification } from '@floorpass/db'
import type { Context } from '../context.ts'
import { clearFlowCookie, type FlowCookie, readFlowCookie, type SetsCookies, setFlowCookie } from '../cookies/flow-cookie.ts'
import type { SignInMethod } from '../cookies/sign-in-method.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { findOneTimeToken, issueOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import { type AuthenticationMethod, isPasskeyMethod } from '../sessions/authentication.ts'

export type SignInIntent = {
  remember: boolean
  callbackURL?: string | undefined
  provider?: ProviderId | undefined
  /** The first factor. Absent for a password or provider. */
  method?: AuthenticationMethod | undefined
  /** Absent means now. */
  authenticatedAt?: Date | undefined
  isNew?: boolean
}

export const getFirstFactor = ({ method, provider }: SignInIntent): AuthenticationMethod =>
  method ?? (provider === undefined ? 'pwd' : 'fed')

/** What the person chose on the page of the sign-in. */
export const getSignInMethod = (intent: SignInIntent): SignInMethod =>
  intent.provider ?? (isPasskeyMethod(getFirstFactor(intent)) ? 'passkey' : 'password')

export type Challenge = Verification & { user: User; intent: SignInIntent; token: string }

const cookie: FlowCookie<'two_factor'> = { name: 'two_factor', lifetime: policy.twoFactor.challengeLifetime }

export const issueChallenge = (ctx: Context, tx: Queryable, userId: string, intent: SignInIntent): Promise<string> =>
  issueOneTimeToken(tx, {
    purpose: 'two-factor',
    userId,
    email: null,
    lifetime: cookie.lifetime,
    sealPayload: (place) => ctx.secretBox.seal(JSON.stringify(intent), place),
  })

export const setChallengeCookie = (ctx: Context & SetsCookies<'two_factor'>, token: string): void =>
  setFlowCookie(ctx, cookie, token)

export async function findChallenge(ctx: Context, tx: Transaction): Promise<Challenge | null> {
  const token = readFlowCookie(ctx, cookie)
  if (token === undefined) return null
  try {
    const row = await findOneTimeToken(tx, 'two-factor', token)
    if (row.user.suspendedAt) return null
    return { ...row, token, intent: JSON.parse(openPayload(ctx, row)) as SignInIntent }
  } catch (error) {
    if (error instanceof AppError && (error.key === 'INVALID_TOKEN' || error.key === 'TOKEN_EXPIRED')) return null
    throw error
  }
}

export function clearChallenge(ctx: Context & SetsCookies<'two_factor'>): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}
