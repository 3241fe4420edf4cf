import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { publicProcedure } from '../trpc.ts'
import { resetLinkInput } from './contract.ts'

/** Does not consume the token. Throws INVALID_CALLBACK_URL, INVALID_TOKEN or TOKEN_EXPIRED. */
export const checkResetLink = publicProcedure.input(resetLinkInput).query(async ({ ctx, input }) => {
  await ctx.limitByIp('reset-password:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  await findOneTimeToken(ctx.db, 'reset-password', input.token)
  return { status: true as const }
})
