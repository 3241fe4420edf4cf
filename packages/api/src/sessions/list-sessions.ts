import { toLocale } from '../kernel/locale.ts'
import { sessionProcedure } from '../trpc.ts'
import { describeSession } from './present-session.ts'

export const listSessions = sessionProcedure.query(async ({ ctx }) => {
  const sessions = await ctx.db.session.findMany({
    where: { userId: ctx.user.id, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return sessions.map((session) => ({
    ...describeSession(session),
    place: ctx.findPlace(session.ipAddress, toLocale(ctx.user.locale)),
    current: session.id === ctx.session.id,
  }))
})
