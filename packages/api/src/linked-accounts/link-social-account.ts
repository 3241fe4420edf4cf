import { AppError } from '../kernel/errors.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'
import { sessionProcedure } from '../trpc.ts'
import { linkSocialAccountInput } from './contract.ts'

/** Starts linking a social provider, whose email address may differ from the account's. SESSION_NOT_FRESH. */
export const linkSocialAccount = sessionProcedure.input(linkSocialAccountInput).mutation(async ({ ctx, input }) => {
  assertReauthenticated(ctx.session)
  await ctx.limitByIp('social:ip')
  const { provider, scopes, loginHint, disableRedirect, idToken, ...targets } = input
  const chosen = requireProvider(ctx, provider)
  if (idToken !== undefined) throw new AppError('ID_TOKEN_NOT_SUPPORTED')
  const link = { userId: ctx.user.id, sessionId: ctx.session.id }
  const url = await beginSocialFlow(ctx, chosen, { targets, link, scopes, loginHint })
  return { url: url.href, redirect: !disableRedirect }
})
