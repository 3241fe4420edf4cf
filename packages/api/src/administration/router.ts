import { router } from '../trpc.ts'
import { createUser } from './create-user.ts'
import { disableTwoFactorOfUser } from './disable-user-two-factor.ts'
import { getUser } from './get-user.ts'
import { hasAdministratorPermission } from './has-administrator-permission.ts'
import { impersonateUser } from './impersonate-user.ts'
import { listApprovals } from './list-approvals.ts'
import { listAuditEvents } from './list-audit-events.ts'
import { listUsers } from './list-users.ts'
import { rejectApproval } from './reject-approval.ts'
import { removeUser } from './remove-user.ts'
import { setRole } from './set-role.ts'
import { setUserPassword } from './set-user-password.ts'
import { stopImpersonating } from './stop-impersonating.ts'
import { banUser, unbanUser } from './suspend-user.ts'
import { updateUserOfAdministrator } from './update-user.ts'
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts'

export const administrationRouter = router({
  listUsers,
  getUser,
  createUser,
  updateUser: updateUserOfAdministrator,
  setRole,
  setUserPassword,
  disableTwoFactor: disableTwoFactorOfUser,
  banUser,
  unbanUser,
  removeUser,
  impersonateUser,
  stopImpersonating,
  listUserSessions,
  revokeUserSession,
  revokeUserSessions,
  listApprovals,
  rejectApproval,
  listAuditEvents,
  hasPermission: hasAdministratorPermission,
})
