import { router } from '../trpc.ts'
import { changeAnyOrganizationOwner } from './change-organization-owner.ts'
import { countAll } from './count-all.ts'
import { createUser } from './create-user.ts'
import { disableTwoFactorOfUser } from './disable-user-two-factor.ts'
import { exportAuditEvents } from './export-audit-events.ts'
import { getUser } from './get-user.ts'
import { hasAdministratorPermission } from './has-administrator-permission.ts'
import { impersonateUser } from './impersonate-user.ts'
import { listApprovals } from './list-approvals.ts'
import { listAuditEvents } from './list-audit-events.ts'
import { listSettings } from './list-settings.ts'
import { listUsers } from './list-users.ts'
import { getAnyOrganization, listAllOrganizations } from './organizations.ts'
import { dropRefusedMail, listRefusedMails, retryRefusedMail } from './refused-mails.ts'
import { rejectApproval } from './reject-approval.ts'
import { removeUser } from './remove-user.ts'
import { listServices } from './services.ts'
import { setRole } from './set-role.ts'
import { setUserPassword } from './set-user-password.ts'
import { stopImpersonating } from './stop-impersonating.ts'
import { restoreAnyOrganization, suspendAnyOrganization } from './suspend-organization.ts'
import { banUser, unbanUser } from './suspend-user.ts'
import { updateUserOfAdministrator } from './update-user.ts'
import { listUserApiKeys, revokeUserApiKey } from './user-api-keys.ts'
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts'
import { listWebhookDeliveries, listWebhooks } from './webhooks.ts'

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
  exportAuditEvents,
  listRefusedMails,
  retryRefusedMail,
  dropRefusedMail,
  listWebhooks,
  listWebhookDeliveries,
  listServices,
  listUserApiKeys,
  revokeUserApiKey,
  listSettings,
  listOrganizations: listAllOrganizations,
  getOrganization: getAnyOrganization,
  suspendOrganization: suspendAnyOrganization,
  restoreOrganization: restoreAnyOrganization,
  changeOrganizationOwner: changeAnyOrganizationOwner,
  counts: countAll,
  hasPermission: hasAdministratorPermission,
})
