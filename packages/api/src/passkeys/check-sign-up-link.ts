import { publicProcedure } from '../trpc.ts'
import { signUpLinkInput } from './contract.ts'
import { findSignUp } from './sign-up-link.ts'

/** Does not consume the link. INVALID_TOKEN, TOKEN_EXPIRED. */
export const checkSignUpLink = publicProcedure.input(signUpLinkInput).query(async ({ ctx, input }) => {
  await ctx.limitByIp('passkey:ip')
  return { email: (await findSignUp(ctx.db, input.token)).email }
})
