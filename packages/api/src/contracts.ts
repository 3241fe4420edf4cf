/** The browser imports this file: it may depend on zod only. */
export * from './access/contract.ts'
export * from './administration/answers.ts'
export * from './administration/contract.ts'
export * from './administration/operations-contract.ts'
export * from './administration/organization-contract.ts'
export * from './allow-list/contract.ts'
export * from './answers.ts'
export {
  apiKeyInput,
  apiKeyLimits,
  createApiKeyInput,
  deleteApiKeyInput,
  listApiKeysInput,
  reportApiKeyInput,
  updateApiKeyInput,
  verifyApiKeyInput,
} from './api-keys/contract.ts'
export {
  approveConfirmationInput,
  confirmationInput,
  consumeConfirmationInput,
  createConfirmationInput,
} from './confirmations/contract.ts'
export * from './email-address/contract.ts'
export { dataSchemaOf } from './event-feed/event-data.ts'
export { followEventsInput, listEventsInput } from './events/contract.ts'
export { fieldLengths, passwordLength } from './kernel/field-problems.ts'
export { emailAddress, headerSafe, locale, riskLevel, startSocialInput } from './kernel/fields.ts'
export { providerIds } from './kernel/provider-ids.ts'
export { may, permissions, rolesUpTo } from './kernel/role-permissions.ts'
export { type Role, roles } from './kernel/roles.ts'
export { toPermissions, toScopes } from './kernel/scopes.ts'
export * from './linked-accounts/contract.ts'
export * from './organizations/contract.ts'
export * from './passkeys/contract.ts'
export * from './passwords/contract.ts'
export * from './profile/contract.ts'
export * from './protection/contract.ts'
export * from './sessions/contract.ts'
export * from './sign-in/contract.ts'
export * from './two-factor/contract.ts'
