import type { Transaction } from '@floorpass/db'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { type FlowCookie, readFlowCookie, type SetsCookies, setFlowCookie } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import type { startSocialInput } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { consumeOneTimeToken, issueOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import { lockCaller } from '../users/lock-user.ts'
import { ProviderError, type SocialAttempt, type SocialProvider } from './social-provider.ts'

export type SocialTargets = {
  callbackURL?: string | undefined
  errorCallbackURL?: string | undefined
  newUserCallbackURL?: string | undefined
}

export type SocialFlow = SocialTargets & {
  provider: ProviderId
  codeVerifier: string
  nonce: string
  browser: string
  link: FlowCaller | null
  reauthentication?: FlowCaller | null
}

/** The flow must end in the session that started it. */
type FlowCaller = { userId: string; sessionId: string }

const cookie: FlowCookie<'flow'> = { name: 'flow', lifetime: policy.socialFlow.lifetime }

export function requireProvider(ctx: Context, id: string): SocialProvider {
  const provider = ctx.providers.get(id as ProviderId)
  if (!provider) throw new AppError('PROVIDER_NOT_FOUND')
  return provider
}

/** Starts a sign-in, or with `link` the linking of an account. Throws PROVIDER_NOT_FOUND or ID_TOKEN_NOT_SUPPORTED. */
export async function startSocialFlow(
  ctx: Context & SetsCookies<'flow'>,
  { provider, scopes, loginHint, additionalParams, disableRedirect, idToken, ...targets }: z.output<typeof startSocialInput>,
  link: FlowCaller | null = null,
): Promise<{ url: string; redirect: boolean }> {
  const chosen = requireProvider(ctx, provider)
  if (idToken !== undefined) throw new AppError('ID_TOKEN_NOT_SUPPORTED')
  const url = await beginSocialFlow(ctx, chosen, { targets, link, scopes, loginHint, additionalParams })
  return { url: url.href, redirect: !disableRedirect }
}

/** Returns the provider's URL (RFC 9700). Throws INVALID_CALLBACK_URL and its siblings, or PROVIDER_UNAVAILABLE. */
export async function beginSocialFlow(
  ctx: Context & SetsCookies<'flow'>,
  provider: SocialProvider,
  {
    targets,
    link = null,
    reauthentication = null,
    scopes = [],
    loginHint,
    additionalParams = {},
  }: {
    targets: SocialTargets
    link?: FlowCaller | null
    reauthentication?: FlowCaller | null
    scopes?: readonly string[]
    loginHint?: string | undefined
    additionalParams?: Record<string, string> | undefined
  },
): Promise<URL> {
  const { trustedOrigins } = ctx.settings
  assertRedirectTarget(targets.callbackURL, trustedOrigins, 'INVALID_CALLBACK_URL')
  assertRedirectTarget(targets.errorCallbackURL, trustedOrigins, 'INVALID_ERROR_CALLBACK_URL')
  assertRedirectTarget(targets.newUserCallbackURL, trustedOrigins, 'INVALID_NEW_USER_CALLBACK_URL')

  // Reuse the cookie, so that two tabs can run a flow.
  const browser = readFlowCookie(ctx, cookie) ?? createToken()
  const codeVerifier = createToken()
  const nonce = createToken()
  const flow: SocialFlow = {
    ...targets,
    provider: provider.id,
    codeVerifier,
    nonce,
    browser: hashToken(browser),
    link,
    reauthentication,
  }
  const caller = link ?? reauthentication
  const issue = (tx: Transaction) =>
    issueOneTimeToken(tx, {
      purpose: 'social-sign-in',
      userId: caller?.userId ?? null,
      email: null,
      lifetime: policy.socialFlow.lifetime,
      sealPayload: (place) => ctx.secretBox.seal(JSON.stringify(flow), place),
    })
  const state = await (caller === null
    ? issue(ctx.db)
    : ctx.db.$transaction(async (tx) => {
        await lockCaller(tx, { user: { id: caller.userId }, session: { id: caller.sessionId } })
        return issue(tx)
      }))
  const attempt: SocialAttempt = { state, codeVerifier, nonce }
  const url = await provider
    .authorizationUrl(attempt, { scopes, loginHint, locale: ctx.client.locale, reauthenticate: reauthentication !== null })
    .catch((error: unknown) => {
      throw error instanceof ProviderError ? new AppError('PROVIDER_UNAVAILABLE', { retryAfter: 10, cause: error }) : error
    })
  for (const [name, value] of Object.entries(additionalParams))
    if (!url.searchParams.has(name)) url.searchParams.append(name, value)
  setFlowCookie(ctx, cookie, browser)
  return url
}

type ConsumedFlow = {
  /** Null for an invalid state, another provider or another browser. */
  flow: (SocialFlow & SocialAttempt) | null
  /** Known for another browser too: the start checked that it is trusted. */
  errorCallbackURL?: string | undefined
}

export async function consumeSocialFlow(ctx: Context, providerId: ProviderId, state: string): Promise<ConsumedFlow> {
  const browser = readFlowCookie(ctx, cookie)
  try {
    const flow = JSON.parse(openPayload(ctx, await consumeOneTimeToken(ctx.db, 'social-sign-in', state))) as SocialFlow
    const isMatch = flow.provider === providerId && browser !== undefined && flow.browser === hashToken(browser)
    return { flow: isMatch ? { ...flow, state } : null, errorCallbackURL: flow.errorCallbackURL }
  } catch (error) {
    if (error instanceof AppError && (error.key === 'INVALID_TOKEN' || error.key === 'TOKEN_EXPIRED')) return { flow: null }
    throw error
  }
}
