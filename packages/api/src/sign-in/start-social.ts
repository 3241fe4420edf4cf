import { AppError } from '../kernel/errors.ts'
import { startSocialInput } from '../kernel/fields.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'
import { publicProcedure } from '../trpc.ts'

/** Spec: Sign-in and sign-up. Throws PROVIDER_NOT_FOUND or ID_TOKEN_NOT_SUPPORTED. */
export const startSocial = publicProcedure.input(startSocialInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('social:ip')
  const { provider, scopes, loginHint, disableRedirect, idToken, ...targets } = input
  const chosen = requireProvider(ctx, provider)
  if (idToken !== undefined) throw new AppError('ID_TOKEN_NOT_SUPPORTED')
  const url = await beginSocialFlow(ctx, chosen, { targets, scopes, loginHint })
  return { url: url.href, redirect: !disableRedirect }
})
