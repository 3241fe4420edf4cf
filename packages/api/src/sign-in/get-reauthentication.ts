import { getReauthenticationExpiry, isReauthenticated } from '../reauthentication/reauthentication.ts'
import { describeAuthentication, meetsRequirement } from '../sessions/authentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { getReauthenticationInput } from './contract.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

/** With `acr` or `max_age`, for a service that requires them: only a code or a passkey proves a second factor again. */
export const getReauthentication = sessionProcedure.input(getReauthenticationInput).query(async ({ ctx, input }) => {
  const methods = await findReauthenticationMethods(ctx, ctx.db, ctx.user)
  const until = getReauthenticationExpiry(ctx.session)
  if (input?.acr === undefined && input?.max_age === undefined)
    return { until, methods, satisfied: isReauthenticated(ctx.session) }
  const authentication = describeAuthentication(ctx.session)
  const needsSecondFactor = [authentication.acr, input.acr].includes('aal2')
  return {
    until,
    methods: needsSecondFactor ? methods.filter((method) => method === 'code' || method === 'passkey') : methods,
    satisfied: meetsRequirement(authentication, input),
  }
})
