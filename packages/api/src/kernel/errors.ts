import { TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import type { ZodError } from 'zod'
import { type FieldFailure, toFieldFailure } from './field-problems.ts'
import { type LimitState, policy } from './policy.ts'

/** Error code → tRPC code, which decides the HTTP status unless a third entry does, and the message. */
export const catalogue = {
  BAD_REQUEST: ['BAD_REQUEST', 'Invalid JSON in request body'],
  VALIDATION_ERROR: ['BAD_REQUEST', 'The request is not valid'],
  UNSUPPORTED_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'This content type is not allowed'],
  PAYLOAD_TOO_LARGE: ['PAYLOAD_TOO_LARGE', `The request body is larger than ${policy.largestBody / 1024} KiB`],
  NOT_FOUND: ['NOT_FOUND', 'There is nothing at this address'],
  METHOD_NOT_ALLOWED: ['METHOD_NOT_SUPPORTED', 'This address does not support that method'],
  UNAUTHORIZED: ['UNAUTHORIZED', 'Unauthorized'],
  INSUFFICIENT_USER_AUTHENTICATION: ['UNAUTHORIZED', 'This needs a stronger or a more recent sign-in'],
  INSUFFICIENT_SCOPE: ['FORBIDDEN', 'The caller does not have the required scope'],
  ORGANIZATION_REQUIRED: ['FORBIDDEN', 'The caller is not a member of the required organization'],
  ROLE_REQUIRED: ['FORBIDDEN', 'The caller does not have the required role'],
  INVALID_AUDIENCE: ['FORBIDDEN', 'No access tokens are signed for this audience. Add it to TOKEN_AUDIENCES.'],
  ADMINISTRATOR_ROLE_REQUIRED: ['FORBIDDEN', 'Your role as an administrator does not allow this'],
  ADMINISTRATOR_FACTOR_REQUIRED: ['FORBIDDEN', 'An administrator needs a passkey or two-factor authentication'],
  ADMINISTRATOR_ON_HOLD: ['FORBIDDEN', 'After a security change, an administrator waits until the hold on withdrawals has ended'],
  APPROVAL_REQUIRED: ['CONFLICT', 'Another administrator must ask for the same within a day. Your request is kept until then.'],
  APPROVAL_NOT_FOUND: ['NOT_FOUND', 'This request was approved, rejected or has expired'],
  YOU_CANNOT_BAN_YOURSELF: ['BAD_REQUEST', 'You cannot suspend yourself'],
  YOU_CANNOT_REMOVE_YOURSELF: ['BAD_REQUEST', 'You cannot remove yourself'],
  YOU_CANNOT_ADMINISTER_YOURSELF: [
    'BAD_REQUEST',
    'You cannot do this to your own account. Use your settings, or ask another administrator.',
  ],
  YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE: [
    'BAD_REQUEST',
    'There is no such role. A user has one role: user, auditor, support or admin.',
  ],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ['BAD_REQUEST', 'User already exists. Use another email.'],
  NO_DATA_TO_UPDATE: ['BAD_REQUEST', 'No data to update'],
  PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER: ['BAD_REQUEST', 'Use set-user-password to set a password'],
  USER_ID_CANNOT_BE_UPDATED: ['BAD_REQUEST', 'The id of a user cannot be changed'],
  USER_SUSPENDED: ['BAD_REQUEST', 'This user is suspended'],
  YOU_CANNOT_IMPERSONATE_ADMINS: ['FORBIDDEN', 'You cannot impersonate an administrator'],
  IMPERSONATION_READ_ONLY: ['FORBIDDEN', 'An administrator opened this session to read. Stop impersonating first.'],
  NOT_IMPERSONATING: ['BAD_REQUEST', 'This session impersonates no user'],
  SESSION_NOT_FRESH: ['FORBIDDEN', 'Session is not fresh'],
  INVALID_ORIGIN: ['FORBIDDEN', 'Invalid origin'],
  MISSING_OR_NULL_ORIGIN: ['FORBIDDEN', 'Missing or null Origin'],
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: ['FORBIDDEN', 'Forms on other sites cannot sign in or sign up here'],
  INVALID_CALLBACK_URL: ['FORBIDDEN', 'Invalid callbackURL'],
  INVALID_ERROR_CALLBACK_URL: ['FORBIDDEN', 'Invalid errorCallbackURL'],
  INVALID_NEW_USER_CALLBACK_URL: ['FORBIDDEN', 'Invalid newUserCallbackURL'],
  PROVIDER_NOT_FOUND: ['NOT_FOUND', 'Provider not found'],
  PROVIDER_UNAVAILABLE: ['SERVICE_UNAVAILABLE', 'The sign-in provider is not responding. Please try again in a moment.'],
  ID_TOKEN_NOT_SUPPORTED: ['NOT_FOUND', 'id_token not supported'],
  ACCOUNT_NOT_FOUND: ['BAD_REQUEST', 'Account not found'],
  FAILED_TO_UNLINK_LAST_ACCOUNT: ['BAD_REQUEST', "You can't unlink your last account"],
  INVALID_EMAIL_OR_PASSWORD: ['UNAUTHORIZED', 'Invalid email or password'],
  EMAIL_NOT_VERIFIED: ['FORBIDDEN', 'Email not verified'],
  EMAIL_ALREADY_VERIFIED: ['BAD_REQUEST', 'Email is already verified'],
  EMAIL_MISMATCH: ['BAD_REQUEST', 'Email mismatch'],
  PASSWORD_TOO_SHORT: ['BAD_REQUEST', 'Password too short'],
  PASSWORD_TOO_LONG: ['BAD_REQUEST', 'Password too long'],
  PASSWORD_TOO_COMMON: ['BAD_REQUEST', 'Password too easy to guess'],
  PASSWORD_ALREADY_SET: ['BAD_REQUEST', 'User already has a password set'],
  INVALID_PASSWORD: ['BAD_REQUEST', 'Invalid password'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['BAD_REQUEST', 'Credential account not found'],
  INVALID_REDIRECT_URL: ['FORBIDDEN', 'Invalid redirectURL'],
  INVALID_TOKEN: ['BAD_REQUEST', 'Invalid token'],
  TOKEN_EXPIRED: ['BAD_REQUEST', 'Token expired'],
  REAUTHENTICATION_METHOD_NOT_AVAILABLE: ['BAD_REQUEST', 'This account cannot reauthenticate with this method'],
  INVALID_USER: ['FORBIDDEN', 'Invalid user'],
  EMAIL_TAKEN: ['BAD_REQUEST', 'Another account now has this email'],
  EMAIL_RECENTLY_CHANGED: [
    'FORBIDDEN',
    'The email of this account changed in the last 7 days and the change can still be undone. Please try again after the 7 days.',
  ],
  ROLE_TOO_NEW: [
    'FORBIDDEN',
    'Your role in this organization is too new for this. Please try again three days after you got it.',
  ],
  EMAIL_IS_THE_SAME: ['BAD_REQUEST', 'Email is the same'],
  USER_NOT_FOUND: ['BAD_REQUEST', 'User not found'],
  ORGANIZATION_SUSPENDED: ['FORBIDDEN', 'The organization is suspended. Contact support.'],
  ORGANIZATION_NOT_FOUND: ['BAD_REQUEST', 'Organization not found'],
  CURSOR_EXPIRED: [
    'BAD_REQUEST',
    'This cursor has expired, or the database was restored. Note the time, read the current state, then follow the feed with `since=<that time>`.',
    410,
  ],
  WEBHOOK_NOT_FOUND: ['NOT_FOUND', 'Webhook not found'],
  NO_ACTIVE_ORGANIZATION: ['BAD_REQUEST', 'No active organization'],
  ORGANIZATION_ALREADY_EXISTS: ['BAD_REQUEST', 'Organization already exists'],
  ORGANIZATION_SLUG_ALREADY_TAKEN: ['BAD_REQUEST', 'Organization slug already taken'],
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: ['FORBIDDEN', 'You have reached the maximum number of organizations'],
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: ['FORBIDDEN', 'Organization membership limit reached'],
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: ['FORBIDDEN', 'You are not allowed to update this organization'],
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION: ['FORBIDDEN', 'You are not allowed to delete this organization'],
  MEMBER_NOT_FOUND: ['BAD_REQUEST', 'Member not found'],
  ROLE_NOT_FOUND: ['BAD_REQUEST', 'Role not found'],
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: ['BAD_REQUEST', 'User is already a member of this organization'],
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: ['FORBIDDEN', 'You are not allowed to update this member'],
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: ['FORBIDDEN', 'You are not allowed to delete this member'],
  MEMBER_HAS_NOT_ACCEPTED: ['FORBIDDEN', 'Only a member who accepted the membership can be an owner'],
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: ['BAD_REQUEST', 'You cannot leave the organization as the only owner'],
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: ['BAD_REQUEST', 'You cannot leave the organization without an owner'],
  INVITATION_NOT_FOUND: ['BAD_REQUEST', 'Invitation not found'],
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: ['BAD_REQUEST', 'User is already invited to this organization'],
  INVITATION_LIMIT_REACHED: ['FORBIDDEN', 'Invitation limit reached'],
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: [
    'FORBIDDEN',
    'You are not allowed to invite users to this organization',
  ],
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: ['FORBIDDEN', 'You are not allowed to invite a user with this role'],
  YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: ['FORBIDDEN', 'You are not allowed to cancel this invitation'],
  YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: ['FORBIDDEN', 'You are not allowed to list invitations for this organization'],
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: ['FORBIDDEN', 'You are not the recipient of the invitation'],
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: [
    'FORBIDDEN',
    'Email verification required before accepting or rejecting invitation',
  ],
  EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: [
    'FORBIDDEN',
    'Email verification required to view or list invitations for the session email',
  ],
  EMAIL_CAN_NOT_BE_UPDATED: ['BAD_REQUEST', 'Email can not be updated'],
  FIELD_NOT_ALLOWED: ['BAD_REQUEST', 'This field is not allowed to be set'],
  NO_FIELDS_TO_UPDATE: ['BAD_REQUEST', 'No fields to update'],
  INVALID_PICTURE: ['BAD_REQUEST', 'The picture must be a whole JPEG, PNG, WebP or GIF file'],
  PICTURE_TOO_LARGE: ['BAD_REQUEST', `The picture has more than ${policy.pictures.mostPixels / 1e6} million pixels`],
  PICTURE_NOT_FOUND: ['NOT_FOUND', 'Picture not found'],
  INVALID_TWO_FACTOR_COOKIE: ['UNAUTHORIZED', 'Invalid two factor cookie'],
  INVALID_CODE: ['UNAUTHORIZED', 'Invalid code'],
  INVALID_BACKUP_CODE: ['UNAUTHORIZED', 'Invalid backup code'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['BAD_REQUEST', 'Too many attempts. Please request a new code.'],
  TOTP_NOT_ENABLED: ['BAD_REQUEST', 'TOTP not enabled'],
  TOTP_ALREADY_ENABLED: ['BAD_REQUEST', 'TOTP is already enabled'],
  TWO_FACTOR_ALREADY_ENABLED: ['BAD_REQUEST', 'Two factor is already enabled'],
  TWO_FACTOR_NEEDS_PASSKEY: [
    'BAD_REQUEST',
    'This passkey is the last second factor. Add another one or turn two-factor off first.',
  ],
  TWO_FACTOR_NOT_ENABLED: ['BAD_REQUEST', "Two factor isn't enabled"],
  BACKUP_CODES_NOT_ENABLED: ['BAD_REQUEST', "Backup codes aren't enabled"],
  BACKUP_CODES_SHOWN_ONCE: ['BAD_REQUEST', 'Backup codes are shown only once, when they are created'],
  OTP_NOT_CONFIGURED: ['BAD_REQUEST', 'OTP is not available'],
  CHALLENGE_NOT_FOUND: ['BAD_REQUEST', 'The passkey request expired or was already used. Please start again.'],
  FAILED_TO_VERIFY_REGISTRATION: ['BAD_REQUEST', 'The passkey could not be verified'],
  PREVIOUSLY_REGISTERED: ['BAD_REQUEST', 'This passkey is already registered'],
  PASSKEY_LIMIT_REACHED: ['FORBIDDEN', `An account can have at most ${policy.passkeys.perUser} passkeys`],
  SESSION_NOT_FOUND: ['NOT_FOUND', 'Session not found'],
  PASSKEY_NOT_FOUND: ['NOT_FOUND', 'Passkey not found'],
  AUTHENTICATION_FAILED: ['UNAUTHORIZED', 'The passkey could not be verified'],
  USER_VERIFICATION_REQUIRED: ['FORBIDDEN', 'The passkey must verify you with a PIN, a fingerprint or your face'],
  PASSKEY_TOO_NEW: ['FORBIDDEN', 'This passkey is too new to confirm this. Use an older one, or try again later.'],
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: ['UNAUTHORIZED', 'You are not allowed to register this passkey'],
  FAILED_TO_DELETE_LAST_PASSKEY: ['BAD_REQUEST', 'This passkey is the only sign-in method. Add another one first.'],
  UNAUTHORIZED_SESSION: ['UNAUTHORIZED', 'A key is created for the caller: leave out userId'],
  SERVER_ONLY_PROPERTY: ['BAD_REQUEST', 'The property you are trying to set can only be set from the server'],
  KEY_NOT_FOUND: ['NOT_FOUND', 'API key not found'],
  NO_VALUES_TO_UPDATE: ['BAD_REQUEST', 'No values to update'],
  INVALID_NAME_LENGTH: ['BAD_REQUEST', `The name must have 1 to ${policy.apiKeys.nameLength} characters`],
  INVALID_PREFIX_LENGTH: ['BAD_REQUEST', `The prefix must have 1 to ${policy.apiKeys.nameLength} characters`],
  EXPIRES_IN_IS_TOO_SMALL: ['BAD_REQUEST', 'An API key lives for at least a day'],
  EXPIRES_IN_IS_TOO_LARGE: ['BAD_REQUEST', 'An API key that expires lives for at most a year'],
  INVALID_METADATA_TYPE: ['BAD_REQUEST', 'metadata must be an object or null'],
  INVALID_PUBLIC_KEY: ['BAD_REQUEST', 'The public key must be an Ed25519 or P-256 key, as SPKI in PEM or as a JWK'],
  API_KEY_LIMIT_REACHED: ['FORBIDDEN', 'The limit of API keys is reached. Delete one first.'],
  PASSKEY_REQUIRED: ['FORBIDDEN', 'Confirm this with a passkey'],
  ALLOW_LIST_ENTRY_EXISTS: ['BAD_REQUEST', 'This address is already on the list'],
  ALLOW_LIST_ENTRY_NOT_FOUND: ['NOT_FOUND', 'Address not found on the list'],
  ALLOW_LIST_LIMIT_REACHED: ['FORBIDDEN', `A list can have at most ${policy.allowList.perUser} addresses. Remove one first.`],
  USER_NOT_MEMBER_OF_ORGANIZATION: ['FORBIDDEN', 'You are not a member of this organization'],
  INSUFFICIENT_API_KEY_PERMISSIONS: ['FORBIDDEN', 'Your role does not allow this with the API keys of the organization'],
  INVALID_API_KEY: ['UNAUTHORIZED', 'The API key is not valid'],
  KEY_DISABLED: ['UNAUTHORIZED', 'The API key is disabled, or its owner may not use it now'],
  KEY_EXPIRED: ['UNAUTHORIZED', 'The API key has expired'],
  IP_NOT_ALLOWED: ['FORBIDDEN', 'The API key is not allowed from this address'],
  SIGNATURE_INVALID: ['UNAUTHORIZED', 'The signature of the request is not valid'],
  REPLAYED: ['UNAUTHORIZED', 'This nonce was already used. Sign the request again with a new one.'],
  RATE_LIMITED: ['FORBIDDEN', 'The API key is called too often'],
  ACCOUNT_LOCKED: ['FORBIDDEN', 'This account is locked. Unlock it under Settings, Protection.', 423],
  LOCK_DAYS_NOT_ALLOWED: ['BAD_REQUEST', 'This number of days is not allowed'],
  ACCOUNT_NOT_LOCKED: ['BAD_REQUEST', 'This account is not locked'],
  UNLOCK_NOT_REQUESTED: ['BAD_REQUEST', 'There is no request to unlock, so there is nothing to cancel'],
  INVALID_LOCK_KEY: ['UNAUTHORIZED', 'The lock key is wrong. Check it, or ask to unlock and wait.'],
  ACCOUNT_NOT_HELD: ['BAD_REQUEST', 'Withdrawals are not on hold'],
  HOLD_NOT_LIFTABLE: ['FORBIDDEN', 'This hold cannot be ended early. Wait until it ends.'],
  PANIC_NOT_FOUND: ['BAD_REQUEST', 'No panic link was used, so there is nothing to undo'],
  ACCOUNT_HELD: [
    'FORBIDDEN',
    'Withdrawals from this account are on hold after a security change. Try again when the hold has ended.',
  ],
  CONFIRMATION_NOT_FOUND: ['NOT_FOUND', 'This session has no such confirmation'],
  CONFIRMATION_EXPIRED: ['BAD_REQUEST', 'The confirmation has expired. Create a new one.'],
  CONFIRMATION_NOT_PENDING: ['CONFLICT', 'The confirmation is already answered. Create a new one.'],
  CONFIRMATION_NOT_APPROVED: [
    'CONFLICT',
    'The user has not approved the confirmation. Wait for the approval, or create a new one.',
  ],
  CONFIRMATION_CONSUMED: ['CONFLICT', 'The confirmation is already consumed. Create a new one.'],
  CONFIRMATION_SESSION_NOT_FOUND: [
    'BAD_REQUEST',
    'The user has no such session, or it has ended. Use the session of the user’s current request.',
  ],
  TOO_MANY_REQUESTS: ['TOO_MANY_REQUESTS', 'Too many requests. Please try again later.'],
  ACCOUNT_TEMPORARILY_LOCKED: [
    'TOO_MANY_REQUESTS',
    'Too many failed verification attempts. Your account is temporarily locked. Please try again later.',
  ],
  PASSWORD_LOCKED: ['TOO_MANY_REQUESTS', 'Too many wrong passwords in a row. Sign in again, or reset your password by email.'],
  SERVICE_BUSY: ['SERVICE_UNAVAILABLE', 'The service is busy. Please try again in a moment.'],
  SERVICE_UNAVAILABLE: ['SERVICE_UNAVAILABLE', 'The service is not available right now. Please try again in a moment.'],
  INTERNAL_SERVER_ERROR: ['INTERNAL_SERVER_ERROR', 'Something went wrong on our side. The request may not have taken effect.'],
} as const satisfies Record<string, readonly [TRPCError['code'], string, number?]>

export type ErrorKey = keyof typeof catalogue

type AppErrorOptions = {
  /** Replaces the message of the catalogue. Never user input. */
  message?: string
  /** By path of the field: `data.name`. */
  fields?: Record<string, FieldFailure>
  /** Slugs of the organizations that the error concerns. The message ends with them. */
  organizations?: readonly string[]
  retryAfter?: number
  /** The WWW-Authenticate header of the answer (RFC 6750, RFC 9470). */
  challenge?: string
  limit?: LimitState
  cause?: unknown
}

/** Extends TRPCError, since tRPC turns any other error into a 500. */
export class AppError extends TRPCError {
  readonly key: ErrorKey
  readonly fields: Record<string, FieldFailure> | null
  readonly organizations: readonly string[]
  readonly retryAfter: number | null
  readonly challenge: string | null
  readonly limit: LimitState | null

  constructor(key: ErrorKey, options: AppErrorOptions = {}) {
    const organizations = options.organizations ?? []
    const sentence = options.message ?? catalogue[key][1]
    const message = organizations.length === 0 ? sentence : `${sentence}: ${organizations.join(', ')}`
    super({ code: catalogue[key][0], message, cause: options.cause })
    this.key = key
    this.fields = options.fields ?? null
    this.organizations = organizations
    this.retryAfter = options.retryAfter ?? null
    this.limit = options.limit ?? null
    this.challenge = options.challenge ?? null
  }

  get status(): number {
    return (catalogue[this.key] as readonly [string, string, number?])[2] ?? getHTTPStatusCodeFromError(this)
  }
}

export function validationError(error: ZodError, source: 'body' | 'query' = 'body'): AppError {
  const fields: Record<string, FieldFailure> = {}
  const parts = error.issues.map((issue) => {
    const field = issue.path.map(String).join('.')
    const failure = toFieldFailure(issue.message)
    if (field !== '') fields[field] ??= failure
    return `[${[source, ...issue.path.map(String)].join('.')}] ${failure.sentence}`
  })
  return new AppError('VALIDATION_ERROR', { message: parts.join('; '), fields, cause: error })
}
