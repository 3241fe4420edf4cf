import { publicProcedure } from '../trpc.ts'

/** The public keys of access tokens (RFC 7517). */
export const getJwks = publicProcedure.query(async ({ ctx }) => ({ keys: await ctx.signingKeys.list() }))
