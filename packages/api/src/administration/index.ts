export { createPostgresClient, explainDatabaseFailure, PostgresUrlError } from '@floorpass/db'
export { type AdministratorRole, administratorPermissions, administratorRoles } from '../kernel/administrator-roles.ts'
export { type ServiceScope, serviceScopes } from '../service-credentials/scopes.ts'
export { tableKinds } from './better-auth-user.ts'
export { changeOrganizationOwner } from './change-organization-owner.ts'
export { disableUserTwoFactor } from './disable-user-two-factor.ts'
export { toAuditRows } from './export-audit-events.ts'
export { exportUser } from './export-user.ts'
export { findUsers, mostFound, presentFoundUser } from './find-users.ts'
export { grantRole, revokeRole } from './grant-role.ts'
export { createUserImport, type ImportOptions, type ImportOutcome, type UserImport } from './import-users.ts'
export { listAdministrators } from './list-administrators.ts'
export { type AuditFilter, findAuditEvents, usualEvents } from './list-audit-events.ts'
export { type ApprovingOperator, createOperator, type Operator } from './operator.ts'
export { findOrganizations, presentFoundOrganization, showOrganization } from './organizations.ts'
export { dropRefusedMails, findRefusedMails, mostMails, retryRefusedMails } from './refused-mails.ts'
export { requestUserUnlock } from './request-user-unlock.ts'
export { rotateSigningKeys } from './rotate-signing-keys.ts'
export { createService, dropService, findServices, rotateService } from './services.ts'
export { showUser } from './show-user.ts'
export { restoreOrganization, suspendOrganization } from './suspend-organization.ts'
export { restoreUser, suspendUser } from './suspend-user.ts'
export { endUserSessions, findUserSessions } from './user-sessions.ts'
export { verifyUserAddress } from './verify-user-address.ts'
export {
  createWebhook,
  dropWebhook,
  expandTypes,
  findDeliveries,
  findWebhooks,
  findWebhookUrlProblem,
  pauseWebhook,
  type ReplayRange,
  replayEvents,
  replayFailed,
  resumeWebhook,
  rotateWebhook,
  type WebhookSecrets,
} from './webhooks.ts'
