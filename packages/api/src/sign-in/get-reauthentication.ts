import { getReauthenticationExpiry } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

/** Returns when the session's reauthentication expires, and which methods renew it. Spec: Sign-in and sign-up. */
export const getReauthentication = sessionProcedure.query(async ({ ctx }) => ({
  until: getReauthenticationExpiry(ctx.session),
  methods: await findReauthenticationMethods(ctx, ctx.db, ctx.user),
}))
