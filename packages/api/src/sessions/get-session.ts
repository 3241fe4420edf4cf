import { publicProcedure, sessionProcedure } from '../trpc.ts'
import { presentSession, presentUser } from './present-session.ts'

/** The current session and its user, or null when signed out: never an error for that. Spec: Sessions. */
export const getSession = publicProcedure.query(async ({ ctx }) => {
  const active = await ctx.findSession()
  return active && { session: presentSession(active.session), user: presentUser(active.user) }
})

/** The same for those who can go no further without one: UNAUTHORIZED when signed out. Guards of pages call it. */
export const requireSession = sessionProcedure.query(({ ctx }) => ({
  session: presentSession(ctx.session),
  user: presentUser(ctx.user),
}))
