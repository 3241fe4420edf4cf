import { router } from '../trpc.ts'
import { getSession, requireSession } from './get-session.ts'
import { listSessions } from './list-sessions.ts'
import { nameSession } from './name-session.ts'
import { revokeOtherSessions, revokeSession, revokeSessions } from './revoke-session.ts'

export const sessionsRouter = router({
  get: getSession,
  require: requireSession,
  list: listSessions,
  revoke: revokeSession,
  revokeAll: revokeSessions,
  revokeOthers: revokeOtherSessions,
  name: nameSession,
})
