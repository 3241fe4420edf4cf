import { router } from '../trpc.ts'
import { getUser } from './get-user.ts'
import { hasAdministratorPermission } from './has-administrator-permission.ts'
import { listAuditEvents } from './list-audit-events.ts'
import { listUsers } from './list-users.ts'
import { banUser } from './suspend-user.ts'
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts'

export const administrationRouter = router({
  listUsers,
  getUser,
  banUser,
  listUserSessions,
  revokeUserSession,
  revokeUserSessions,
  listAuditEvents,
  hasPermission: hasAdministratorPermission,
})
