import { describeAuthentication } from '../sessions/authentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { type AccessToken, signAccessToken } from './access-token.ts'
import { describeCaller } from './caller.ts'
import { getTokenInput } from './contract.ts'
import { assertAuthentication } from './requirements.ts'

/** An access token for another service (RFC 9068). INSUFFICIENT_USER_AUTHENTICATION, INVALID_AUDIENCE. */
export const getToken = sessionProcedure.input(getTokenInput).query(({ ctx, input }): Promise<AccessToken> => {
  const { audience = ctx.settings.baseUrl, scope } = input
  assertAuthentication(describeAuthentication(ctx.session), input)
  const { email, emailVerified } = ctx.user
  return signAccessToken(ctx, describeCaller(ctx), audience, scope === 'email' ? { email, email_verified: emailVerified } : {})
})
