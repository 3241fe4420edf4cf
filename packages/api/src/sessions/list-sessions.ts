import { sessionProcedure } from '../trpc.ts'
import { describeDevice } from './describe-device.ts'
import { presentSession } from './present-session.ts'

/** The caller's live sessions, newest first, as devices a person recognises. Spec: Sessions. Nothing in it opens a session. */
export const listSessions = sessionProcedure.query(async ({ ctx }) => {
  const sessions = await ctx.db.session.findMany({
    where: { userId: ctx.user.id, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return sessions.map((session) => ({
    ...presentSession(session),
    ...describeDevice(session.userAgent),
    lastSeenAt: session.lastSeenAt,
    trusted: session.trustedDeviceId !== null,
    current: session.id === ctx.session.id,
  }))
})
