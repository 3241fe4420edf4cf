/** What a caller may send and what comes back. zod only: the browser imports this file too. */
export * from './answers.ts'
export { changeEmailInput, sendVerificationEmailInput, undoEmailChangeInput, verifyEmailInput } from './email-address/contract.ts'
export { fieldLengths, passwordLength } from './kernel/field-problems.ts'
export { emailAddress, headerSafe, locale, riskLevel, rootRelativePath, startSocialInput } from './kernel/fields.ts'
export { providerIds } from './kernel/provider-ids.ts'
export { linkSocialAccountInput, unlinkAccountInput } from './linked-accounts/contract.ts'
export {
  acceptMembershipInput,
  activeMemberInput,
  activeMemberRoleInput,
  addMemberInput,
  answerInvitationInput,
  cancelInvitationInput,
  checkSlugInput,
  createOrganizationInput,
  deleteOrganizationInput,
  getInvitationInput,
  getOrganizationInput,
  hasPermissionInput,
  inviteMemberInput,
  leaveOrganizationInput,
  listInvitationsInput,
  listMembersInput,
  organizationLimits,
  removeMemberInput,
  setActiveOrganizationInput,
  updateMemberRoleInput,
  updateOrganizationInput,
} from './organizations/contract.ts'
export { may, permissions, type Role, roles, rolesUpTo } from './organizations/permissions.ts'
export {
  changePasswordInput,
  requestPasswordResetInput,
  resetLinkInput,
  resetPasswordInput,
  setPasswordInput,
} from './passwords/contract.ts'
export { deleteUserInput, listActivityInput, updateUserInput } from './profile/contract.ts'
export { revokeSessionInput } from './sessions/contract.ts'
export { finishSocialInput, reauthenticateInput, signInEmailInput, signUpEmailInput } from './sign-in/contract.ts'
export {
  disableTwoFactorInput,
  enableTwoFactorInput,
  generateBackupCodesInput,
  getTotpUriInput,
  revokeTrustedDeviceInput,
  verifyCodeInput,
  verifyTwoFactorInput,
} from './two-factor/contract.ts'
