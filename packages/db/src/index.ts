export { PostgresUrlError } from '@floorpass/env/postgres-url'
export { findKeyWithOwner, type KeyWithOwner } from './api-key-queries.ts'
export { type ChangeChannel, type ChangeListener, type ChannelTimes, channelTimes } from './change-channel.ts'
export { type Database, type DatabaseOptions, type OpenDatabase, openDatabase, type Transaction } from './client.ts'
export { DataDirUnusableError, openDataDir } from './data-dir.ts'
export { flushFiles } from './durable-files.ts'
export { DataDirInUseError, lockDataDir } from './embedded-lock.ts'
export { type DatabaseFailure, explainDatabaseFailure } from './explain-failure.ts'
export { findSqlState, isDatabaseUnavailable, isUniqueViolation } from './failures.ts'
export type {
  Account,
  AllowList,
  AllowListEntry,
  ApiKey,
  Approval,
  AuditEvent,
  BackupCode,
  Confirmation,
  Hold,
  Invitation,
  Member,
  Organization,
  Passkey,
  QueuedMail,
  Session,
  TrustedDevice,
  TwoFactor,
  User,
  Verification,
  Webhook,
  WebhookDelivery,
} from './generated/client.ts'
export { Prisma, RiskLevel } from './generated/client.ts'
export { describePending, MigrationError, type PendingMigration, type PendingMigrations } from './migrate.ts'
export type { PoolState } from './pool-state.ts'
export { createPostgresClient } from './postgres-hosts.ts'
export { openReadReplica, type ReadReplica, readPrimary } from './read-replica.ts'
export {
  findPasskeyWithUser,
  findSessionWithUser,
  findSignInAccount,
  insertSession,
  type Memberships,
  type SignInAccount,
} from './session-queries.ts'
export {
  type BrowserField,
  keptByNewSignIn,
  keptByNewToken,
  publicFields,
  type SignInField,
  type TokenField,
} from './session-row.ts'
export type { Queryable, Sql } from './sql.ts'
