import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { withParameter } from '../kernel/redirect-target.ts'
import { customMutation } from '../mutation.ts'
import { isReauthenticated } from '../reauthentication/reauthentication.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { consumeSocialFlow, requireProvider, type SocialFlow } from '../social/social-flow.ts'
import { ProviderError, type SocialAttempt, type SocialIdentity, type SocialProvider } from '../social/social-provider.ts'
import { lockCaller } from '../users/lock-user.ts'
import type { VerifyContext } from '../users/mark-email-verified.ts'
import {
  completeSignIn,
  findSignInRequirements,
  type SetsSignInCookies,
  type SignInContext,
  setSignInCookies,
  signInActions,
  signInCookies,
} from './complete-sign-in.ts'
import { finishSocialInput } from './contract.ts'
import { type LinkContext, linkIdentity } from './link-identity.ts'
import { resolveIdentity } from './resolve-identity.ts'
import { SocialRefusal } from './social-refusal.ts'

/** Spec: Sign-in and sign-up. Returns the next URL; a refusal adds `?error=<code>`. Throws PROVIDER_NOT_FOUND. */
export const finishSocial = customMutation({
  access: 'public',
  sensitive: 'in-part',
  input: finishSocialInput,
  limit: 'social-callback:ip',
  lock: 'own',
  events: [...signInActions, 'link-account', 'reauthenticate', 'verify-email'],
  mails: ['account-linked', 'password-cleared'],
  cookies: signInCookies,

  async run({ ctx, input }) {
    const provider = requireProvider(ctx, input.provider)
    const { flow, errorCallbackURL } =
      input.state === undefined ? { flow: null } : await consumeSocialFlow(ctx, provider.id, input.state)
    try {
      if (!flow) throw new SocialRefusal(input.state === undefined ? 'state_not_found' : 'state_mismatch')
      const identity = await identify(provider, flow, input)
      if (flow.link) return { url: await finishLink(ctx, provider, flow, identity) }
      if (flow.reauthentication) return { url: await finishReauthentication(ctx, provider, flow, identity) }
      return { url: await finishSignIn(ctx, provider, flow, identity) }
    } catch (error) {
      if (!(error instanceof SocialRefusal)) throw error
      ctx.log.info({ provider: provider.id, code: error.code, err: error.cause }, 'social sign-in refused')
      // /login redirects signed-in users away.
      const signedInErrorPage = flow?.reauthentication ? '/reauthenticate' : '/settings/accounts'
      const target = errorCallbackURL ?? ((await ctx.findSession()) ? signedInErrorPage : '/login')
      return { url: withParameter(target, 'error', error.code) }
    }
  },
})

type CallbackParameters = { code?: string | undefined; error?: string | undefined; iss?: string | undefined }

async function identify(
  provider: SocialProvider,
  attempt: SocialAttempt,
  { code, error, iss }: CallbackParameters,
): Promise<SocialIdentity> {
  if (iss !== undefined && provider.issuer !== null && iss !== provider.issuer) throw new SocialRefusal('issuer_mismatch')
  if (error !== undefined) throw new SocialRefusal(error === 'access_denied' ? 'access_denied' : 'provider_error')
  if (code === undefined) throw new SocialRefusal('no_code')
  try {
    return await provider.identify(code, attempt)
  } catch (cause) {
    if (!(cause instanceof ProviderError)) throw cause
    const codes = {
      unavailable: 'provider_unavailable',
      'code-refused': 'invalid_code',
      'identity-refused': 'unable_to_get_user_info',
    } as const
    throw new SocialRefusal(codes[cause.reason], cause)
  }
}

async function finishSignIn(
  ctx: SignInContext & LinkContext & VerifyContext & SetsSignInCookies,
  provider: SocialProvider,
  flow: SocialFlow,
  identity: SocialIdentity,
): Promise<string> {
  const callbackURL = flow.callbackURL ?? '/dashboard'
  const { result, isNew } = await ctx.db.$transaction(async (tx) => {
    const { user, isNew } = await resolveIdentity(ctx, tx, provider, identity)
    const intent = { remember: true, callbackURL, provider: provider.id, isNew, authenticatedAt: getAuthenticationTime(identity) }
    if (!user.suspendedAt) {
      const requirements = await findSignInRequirements(tx, user.id)
      return { result: await completeSignIn(ctx, tx, user.id, intent, requirements), isNew }
    }
    const details = { provider: provider.id }
    await ctx.record(tx, { userId: user.id, action: 'sign-in', succeeded: false, details })
    return { result: null, isNew }
  })
  if (!result) throw new SocialRefusal('sign_in_refused')
  const session = setSignInCookies(ctx, result)
  if (!session)
    return flow.callbackURL === undefined ? '/two-factor' : withParameter('/two-factor', 'redirectTo', flow.callbackURL)
  return isNew ? (flow.newUserCallbackURL ?? callbackURL) : callbackURL
}

async function finishLink(
  ctx: LinkContext,
  provider: SocialProvider,
  flow: SocialFlow,
  identity: SocialIdentity,
): Promise<string> {
  const active = await ctx.findSession()
  if (!active || active.session.id !== flow.link?.sessionId) throw new SocialRefusal('state_mismatch')
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, active).catch((error: unknown) => {
      throw error instanceof AppError ? new SocialRefusal('state_mismatch') : error
    })
    await linkIdentity(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: active.user.id } }), provider, identity)
  })
  return flow.callbackURL ?? '/settings/accounts'
}

async function finishReauthentication(
  ctx: Context & Records<'reauthenticate'> & SetsCookies<'session'>,
  provider: SocialProvider,
  flow: SocialFlow,
  identity: SocialIdentity,
): Promise<string> {
  const active = await ctx.findSession()
  if (!active || active.session.id !== flow.reauthentication?.sessionId) throw new SocialRefusal('state_mismatch')
  const authenticatedAt = getAuthenticationTime(identity)
  if (!isReauthenticated({ createdAt: authenticatedAt, authenticatedAt, impersonatedBy: null }))
    throw new SocialRefusal('provider_sign_in_too_old')
  const userId = active.user.id
  const renewed = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, active).catch((error: unknown) => {
      throw error instanceof AppError ? new SocialRefusal('state_mismatch') : error
    })
    const linked = { userId, providerId: provider.id, accountId: identity.subject }
    if ((await tx.account.count({ where: linked })) === 0) throw new SocialRefusal('different_account')
    await ctx.record(tx, { userId, action: 'reauthenticate', details: { method: provider.id } })
    return renewSession(ctx, tx, active.session.id, { method: 'fed', at: authenticatedAt })
  })
  if (!renewed) throw new SocialRefusal('state_mismatch')
  setSessionCookie(ctx, renewed.token, renewed.session)
  return flow.callbackURL ?? '/dashboard'
}

/** Capped at now: a provider's clock that runs ahead must not extend the reauthentication. */
const getAuthenticationTime = ({ authenticatedAt }: SocialIdentity): Date =>
  new Date(Math.min(authenticatedAt?.getTime() ?? Number.POSITIVE_INFINITY, Date.now()))
