import { getReauthenticationExpiry } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

export const getReauthentication = sessionProcedure.query(async ({ ctx }) => ({
  until: getReauthenticationExpiry(ctx.session),
  methods: await findReauthenticationMethods(ctx, ctx.db, ctx.user),
}))
