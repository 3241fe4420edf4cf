import { reauthenticatedUntil } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

/** Until when the caller's session may do sensitive acts, and how the caller can prove who they are. Spec: Sign-in and sign-up. */
export const getReauthentication = sessionProcedure.query(async ({ ctx }) => ({
  until: reauthenticatedUntil(ctx.session),
  methods: await findReauthenticationMethods(ctx, ctx.db, ctx.user),
}))
