import { type Declared, limits, policy } from '@floorpass/api'
import { passwordLength } from '@floorpass/api/contracts'
import type { Access, Route } from '../rest/routes.ts'
import type { Schema } from './examples.ts'

/** Module → the heading of its routes, and what they are for. */
export const groups: Record<string, readonly [title: string, text: string]> = {
  'sign-in': ['Sign-in and sign-up', 'Create an account, sign in, sign out and confirm your identity.'],
  sessions: ['Sessions', 'Read the session of this browser, list the sessions of the user and end them.'],
  passwords: ['Passwords', 'Reset, change and set the password.'],
  'email-address': ['Email address', 'Verify the email address, change it and undo the change.'],
  profile: ['Profile', 'Change the profile, export the data, list the activity and delete the account.'],
  'linked-accounts': ['Linked accounts', 'Link accounts of Google and GitHub, which then sign in too.'],
  organizations: ['Organizations', 'Create organizations, invite people and manage members and roles.'],
  'two-factor': [
    'Two-factor authentication',
    'Ask for a code after the password, from an authenticator app or from a list of backup codes.',
  ],
  events: ['Events', 'Follow the changes of accounts, sessions and keys as another service.'],
  passkeys: ['Passkeys', 'Sign in with a fingerprint, a face or a PIN instead of a password (WebAuthn).'],
  'api-keys': ['API keys', 'Let a program act for a person or an organization, with a secret or with signed requests.'],
  protection: [
    'Protection',
    'See and end holds on withdrawals, lock the account, stop everything, and choose the phrase in emails.',
  ],
  'allow-list': [
    'Withdrawal addresses',
    'Keep a list of addresses where money may go. A new address is usable after a cooling-off, and services check the list.',
  ],
  confirmations: [
    'Confirmations',
    'Let the user confirm a transaction with a passkey. The receipt proves it to your services, and is used once.',
  ],
  administration: [
    'Administration',
    'Find, create and change users, read what happened, view an account, end sessions, and suspend or delete accounts, as an administrator of the service.',
  ],
  access: ['Access of other services', 'Tell your gateways and services who calls.'],
}

/** A route's access, with what its procedure declares. */
export type RouteAccess = Access | 'reauthenticated'

const minutes = policy.session.reauthenticationAge / 60

/** Access → a short label, and a sentence. */
export const accessNotes: Record<RouteAccess, readonly [label: string, text: string]> = {
  public: ['Public', 'Works without a session.'],
  session: ['Session', 'Needs a session cookie.'],
  reauthenticated: [
    'Recent sign-in',
    `Needs a session cookie. The user must have signed in or reauthenticated in the last ${minutes} minutes.`,
  ],
  challenge: [
    'Session or started sign-in',
    'Needs a session cookie, or the cookie of a sign-in that waits for its second factor.',
  ],
  administrator: [
    'Administrator',
    `Needs the session cookie of an administrator whose role allows it, and who proved a passkey in the last ${minutes} minutes; without a passkey, a code.`,
  ],
  service: ['Service', 'Needs the secret of a service in the header `authorization: Bearer <secret>`.'],
}

const counted = { ip: 'IP address', user: 'user', service: 'service' }

export function describeLimit(limit: Declared['limit']): string | null {
  if (limit === null) return null
  const { points, seconds, counts } = limits[limit]
  return counts in counted
    ? `Limit: ${points} calls in ${describeTime(seconds)} for each ${counted[counts as keyof typeof counted]}.`
    : null
}

function describeTime(seconds: number): string {
  const [count, unit] = seconds % 3600 === 0 ? [seconds / 3600, 'hour'] : [seconds / 60, 'minute']
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`
}

/** What a route's summary leaves open. */
const routeNotes: Record<string, string> = {
  'POST /sign-in/email':
    'Sets the session cookie. When the account has two-factor authentication, the answer is `twoFactorRedirect: true` and the sign-in waits for `POST /auth/two-factor/verify` or a passkey.',
  'POST /sign-up/email': 'Mails a link that verifies the address. The answer is the same when the email already has an account.',
  'POST /sign-up/passkey': 'The answer is the same when the email already has an account.',
  'GET /sign-in/social':
    'For a link or a button without JavaScript. When the provider does not respond, redirects to `errorCallbackURL` with `?error=provider_unavailable`.',
  'POST /sign-in/social': 'Send the browser to the `url` of the answer. Keep the cookies of this answer in that browser.',
  'GET /callback/google':
    'Google sends the browser here. On a refusal, redirects to `errorCallbackURL` or to a page of this service, with `?error=<code>`.',
  'GET /callback/github':
    'GitHub sends the browser here. On a refusal, redirects to `errorCallbackURL` or to a page of this service, with `?error=<code>`.',
  'POST /sign-out': 'Succeeds without a session too. While an administrator impersonates, it also ends their own session.',
  'POST /admin/impersonate-user':
    'The session cookie becomes that of the user. Other routes that change something answer IMPERSONATION_READ_ONLY. The user gets an email with the reason.',
  'POST /admin/stop-impersonating': 'Needs the cookies that `POST /auth/admin/impersonate-user` set.',
  'POST /reauthenticate':
    'Send exactly one of `password`, `code`, `provider`, `sendEmail`, `token` and `passkey`. `GET /auth/reauthentication` lists the methods of this user.',
  'GET /get-session': 'Not counted by the general rate limit.',
  'POST /revoke-session': 'Succeeds also when the session has already ended.',
  'GET /reset-password':
    'The emailed link leads here. Redirects to `callbackURL` with `?token=<token>`, or with `?error=INVALID_TOKEN` or `?error=TOKEN_EXPIRED`. The token stays valid.',
  'POST /forget-password': 'The answer is the same when no account has this email.',
  'POST /reset-password': 'Ends every session of the user.',
  'POST /change-password': 'Ends every other session of the user and replaces the session cookie.',
  'POST /verify-email': 'Also confirms an email change. `user` is the changed user then, and otherwise null.',
  'POST /send-verification-email': 'The answer is the same when no account waits for a verification.',
  'POST /change-email': 'Mails a link to the new address. The email changes when the link is confirmed.',
  'POST /undo-email-change': 'Also undoes what may have happened to the account since the change: the answer lists it.',
  'POST /update-user':
    'Turning trading on or choosing a higher risk needs a recent sign-in. Other fields than these are refused.',
  'POST /set-picture': `Send the file as the field \`picture\` of a form (multipart/form-data, at most ${policy.pictures.largestForm / 1024 ** 2} MiB). Stores its centre as WebP, ${policy.pictures.side} pixels wide and high, without metadata. \`image\` is the new address.`,
  'POST /take-provider-picture':
    'Loads the picture that the provider named at the last sign-in, from the origins in PICTURE_ORIGINS only.',
  'POST /remove-picture': 'Succeeds without a picture too.',
  'GET /pictures/{name}.webp':
    'The address is the `image` of a user. Browsers may keep the picture: another one has another address.',
  'POST /delete-user': 'Without `password` or `token`, mails a link that deletes the account.',
  'POST /link-social-account': 'Send the browser to the `url` of the answer.',
  'GET /admin/audit-events.csv': `At most ${policy.administration.exportedEvents} events. The next file starts after the last \`id\`, with \`before\`.`,
  'POST /organization/set-active': 'Send `organizationId: null` to clear it.',
  'POST /organization/member/add': 'The user becomes a full member on accepting the membership.',
  'POST /two-factor/enable':
    'Two-factor is on after the first correct code at `POST /auth/two-factor/verify`. With `method: "passkey"` it is on at once.',
  'POST /two-factor/disable': 'Send `password`, `code` or `passkey`.',
  'POST /two-factor/generate-backup-codes': 'Send `password`, `code` or `passkey`. The former codes stop working.',
  'POST /passkey/verify-registration':
    'Send what the browser answers to the options of `GET /auth/passkey/generate-register-options`.',
  'POST /passkey/verify-authentication':
    'Send what the browser answers to the options of `GET /auth/passkey/generate-authenticate-options`.',
  'GET /verify': 'For gateways such as nginx, Caddy and Traefik. The answer has no body: the `x-auth-…` headers name the caller.',
  'POST /api-key/create':
    'The answer has the secret in `key`, for the only time. With a `publicKey` there is no secret: the program signs its requests.',
  'POST /api-key/update':
    'A change that lets the key do more needs a sign-in or a reauthentication in the last 15 minutes, and emails the caller.',
  'POST /api-key/delete':
    'This process refuses the key from the next call on; the others do once the database has announced the change.',
  'POST /api-key/report':
    'Deletes the key of a leaked secret and emails its owner. The answer is the same for an unknown secret.',
  'POST /api-key/verify':
    'Send `key`, or `request` for a signed one. The answer is 200 for a key that is refused too: `error.code` says why.',
  'POST /protection/lock':
    'Needs a passkey that is at least a week old. While the account is locked, each sensitive route answers 423 ACCOUNT_LOCKED.',
  'POST /protection/request-unlock': 'Emails the user. A repeated request does not restart the wait.',
  'POST /protection/unlock-with-key': 'Needs a passkey that is older than the lock. Each try emails the user.',
  'POST /protection/lift-hold': 'Needs a passkey that is a week older than every hold. Some holds cannot be ended early.',
  'POST /protection/set-phrase': 'The email about the change shows the former phrase.',
  'POST /protection/undo-panic': 'Needs a passkey that is a week older than the press. The API keys stay disabled.',
  'POST /panic': 'Called by the page behind the link in a security email. A used link succeeds and changes nothing.',
  'POST /allow-list/add':
    'The address is usable from `usableFrom`. Send `passkey` when the account has a passkey. Addresses are compared character by character.',
  'POST /allow-list/remove': 'Takes effect at once, also while the account is locked.',
  'POST /allow-list/set-enabled':
    'On takes effect at once and cancels a pending switch-off. Off needs a sign-in or a reauthentication a short time ago and, when the account has one, a passkey.',
  'POST /allow-list/check':
    'While the list is off, every address is allowed. A lock or a hold of the account changes nothing here.',
  'POST /confirmation/create':
    'A service sends its secret with the scope `confirmation:create`, and names `userId` and `sessionId`. Send the browser to `url`.',
  'GET /confirmation/get': 'An approved confirmation has its receipt here too, in case the answer to `approve` was lost.',
  'POST /confirmation/approve':
    'Send what the browser answers to `options` in `response`, or `code` where `method` is `otp`. Ten wrong answers reject the confirmation.',
  'POST /confirmation/consume':
    'Needs the scope `confirmation:consume`. Refused when the session has ended, or when the account is suspended, locked or on hold.',
  'GET /jwks': `Verifiers may keep the keys for ${policy.signingKeys.publicCache / 60} minutes.`,
}

export const noteOf = ({ method, path }: Route): string | undefined => routeNotes[`${method} ${path}`]

const target = 'Where to go then: a path, or a URL at a trusted origin'
const organization = 'Default: the active organization'

/** Input fields by name. */
const fieldNotes: Record<string, string> = {
  acr: 'The least authentication strength: aal2 is with a second factor',
  accountId: "The id of the linked account, or the user's id at the provider",
  additionalParams: "Parameters for the provider's sign-in page",
  audience: 'One of TOKEN_AUDIENCES. Default: BASE_URL',
  authorization_details: 'What the user confirms (RFC 9396)',
  authenticatorAttachment: 'Asks for a passkey on this device, or on a security key or phone',
  callbackURL: target,
  code: 'A code of the authenticator app, or a backup code',
  context: 'The token of an emailed link, instead of a session',
  createSession: 'True completes a sign-up by an emailed link, and signs in',
  currentPassword: 'The password of the account',
  configId: '`default`, or nothing',
  cursor: '`nextCursor` of the page before',
  data: 'What changes. Other fields stay',
  disableRedirect: 'Tells better-auth’s client not to follow `url`',
  discoverable: 'True lists no passkeys, so that the person picks the account',
  email: 'The email address. Its case does not matter',
  enabled: 'False disables the key',
  error: 'Set by the provider',
  errorCallbackURL: 'Where to go after a refusal, with `?error=<code>`',
  expiresIn: 'Seconds from now, a day to a year. Null: never',
  filterField: 'The field that `filterValue` is compared with',
  filterOperator: 'How `filterField` and `filterValue` are compared',
  filterValue: 'Several values for `in` and `not_in`',
  id: 'The id',
  ip: 'The address that the call came from',
  ipAllowlist: 'Addresses and CIDR ranges that the key works from. Empty: any address',
  idToken: 'Not supported: refused with ID_TOKEN_NOT_SUPPORTED',
  image: 'The URL of a picture, by http or https',
  invitationId: 'The id of the invitation, or the secret of its email',
  iss: 'Set by the provider',
  key: 'The secret of the key',
  jti: 'The id of the confirmation',
  keyId: 'The id of the key',
  keepCurrentActiveOrganization: 'True does not make the new organization the active one',
  limit: 'The size of a page',
  locale: 'The language of emails and pages',
  loginHint: 'The email address that the provider suggests',
  logo: 'The URL of a picture, by http or https',
  max_age: 'The longest time since the person proved who they are, in seconds',
  memberId: 'The id of the membership',
  memberIdOrEmail: 'The id of the membership, or the email of its user',
  membersLimit: 'How many members the answer lists at most',
  metadata: `Any JSON object, up to ${policy.organizations.metadata} bytes`,
  method: 'The second factor to turn on',
  name: 'The name that other users see',
  newEmail: 'The new email address',
  newPassword: 'The new password. It must not be easy to guess',
  newUserCallbackURL: 'Where to go instead of `callbackURL` after a sign-up',
  offset: 'How many members to skip',
  org: 'The id of the organization that the caller must be a member of',
  organizationId: organization,
  organizationSlug: 'The short name, instead of `organizationId`',
  passkey: 'The answer of the browser to the options of `GET /auth/passkey/generate-authenticate-options`',
  password: 'The password of the account',
  permissions: 'Resource to actions, such as `{ "member": ["create"] }`',
  prefix: 'Your own text before the secret',
  provider: '`google` or `github`',
  providerId: '`google`, `github` or `credential`',
  publicKey: 'Ed25519 or P-256, as SPKI in PEM or as a JWK',
  redirect: 'Redirects to the sign-in page instead of 401',
  redirectTo: 'Where the emailed link leads: a path, or a URL at a trusted origin',
  rememberMe: 'False ends the session with the browser, after a day at most',
  request: 'The signed request that the service received',
  resend: 'True mails an open invitation again',
  response: 'The answer of the browser, as JSON',
  riskLevel: 'The risk that the user accepts in trading',
  role: 'owner, admin or member',
  scope: 'Scopes that the caller must have, separated by spaces or commas',
  scopes: 'More scopes to ask the provider for',
  sessionId: 'The handle of the session, as in x-auth-session',
  sendEmail: 'True mails a link that reauthenticates',
  slug: 'The short name in links: letters a to z, digits and dashes',
  sortBy: 'The order of the members',
  sortDirection: 'Ascending or descending',
  state: 'Set by the provider',
  token: 'The token of the emailed link',
  tradingEnabled: 'Whether the user may trade',
  trustDevice: `True lets this device sign in without a code for ${policy.twoFactor.trustedDeviceLifetime / 86_400} days`,
  ttl: 'Seconds until the confirmation expires',
  type: 'The kind of code. Default: decided by its form',
  userId: 'The id of the user',
}

const newPassword: Schema = {
  description: 'It must not be easy to guess',
  minLength: passwordLength.min,
  maxLength: passwordLength.max,
}

/** Input fields that mean something else on one route. */
const fieldNotesByRoute: Record<string, Record<string, Schema>> = {
  'POST /sign-up/email': {
    password: newPassword,
    tradingEnabled: { description: 'Accepted and ignored: trading is off until the user turns it on' },
  },
  'POST /reset-password': { newPassword },
  'POST /take-provider-picture': { providerId: { description: '`google` or `github`' } },
  'GET /pictures/{name}.webp': { name: { description: 'The name of the picture' } },
  'POST /change-password': { newPassword },
  'POST /set-password': { newPassword },
  'GET /callback/google': { code: { description: 'Set by the provider' } },
  'GET /callback/github': { code: { description: 'Set by the provider' } },
  'POST /revoke-session': { token: { description: 'The `token` of the session in `GET /auth/list-sessions`' } },
  'POST /introspect': { token: { description: 'An access token, or the value of a session cookie' } },
  'POST /two-factor/verify-totp': { code: { description: 'A code of the authenticator app' } },
  'POST /two-factor/verify-backup-code': { code: { description: 'A backup code' } },
  'POST /two-factor/revoke-trusted-device': { id: { description: 'The id of the trusted device' } },
  'POST /passkey/update-passkey': { id: { description: 'The id of the passkey' }, name: { description: 'The new name' } },
  'POST /passkey/delete-passkey': { id: { description: 'The id of the passkey' } },
  'GET /passkey/generate-register-options': { name: { description: 'The name of the passkey' } },
  'POST /passkey/verify-registration': { name: { description: 'The name of the passkey' } },
  'POST /api-key/create': {
    name: { description: 'The name of the key, at most 32 characters' },
    permissions: { description: 'Resource to actions, such as `{ "order": ["read"] }`' },
    organizationId: { description: 'Makes it a key of this organization' },
  },
  'POST /api-key/update': {
    name: { description: 'The new name' },
    permissions: { description: 'Resource to actions, such as `{ "order": ["read"] }`' },
  },
  'GET /api-key/get': { id: { description: 'The id of the key' } },
  'GET /api-key/list': {
    organizationId: { description: 'Lists the keys of this organization' },
    offset: { description: 'How many keys to skip' },
    sortBy: { description: 'The order of the keys' },
  },
  'POST /api-key/verify': { permissions: { description: 'What the key must be allowed to do' } },
  'POST /allow-list/add': {
    value: { description: 'The address, compared character by character' },
    label: { description: 'A name for the address' },
  },
  'POST /allow-list/remove': { id: { description: 'The id of the address on the list' } },
  'POST /allow-list/set-enabled': { enabled: { description: 'Whether money may go to addresses on the list only' } },
  'POST /allow-list/check': {
    userId: { description: 'Whose money leaves' },
    value: { description: 'The address, compared character by character' },
  },
  'POST /confirmation/create': {
    audience: { description: 'BASE_URL or one of TOKEN_AUDIENCES: the service that reads the receipt' },
    type: { description: 'The type that the page shows. Default: that of the first detail' },
    userId: { description: 'Of a service: the user who confirms' },
    sessionId: { description: 'Of a service: the session that may approve, as in x-auth-session' },
  },
  'GET /confirmation/get': { id: { description: 'The id of the confirmation' } },
  'POST /confirmation/approve': {
    id: { description: 'The id of the confirmation' },
    code: { description: 'A code of the authenticator app' },
  },
  'POST /confirmation/reject': { id: { description: 'The id of the confirmation' } },
  'POST /confirmation/consume': { audience: { description: 'Refuses a confirmation for another audience' } },
  'POST /organization/create': { name: { description: 'The name of the organization' } },
  'GET /organization/get-invitation': { id: { description: 'The id of the invitation, or the secret of its email' } },
  'POST /organization/delete': { organizationId: { description: 'The id of the organization' } },
  'POST /organization/leave': { organizationId: { description: 'The id of the organization' } },
  'POST /organization/accept-membership': { organizationId: { description: 'The id of the organization' } },
  'POST /organization/set-active': { organizationId: { description: 'The id of the organization, or null for none' } },
  'GET /organization/get-active-member-role': { userId: { description: 'Another member. Default: the caller' } },
}

/** Adds what a JSON Schema cannot say. A description of the contract stays. */
export const describeField = ({ method, path }: Route, name: string, schema: Schema): Schema => ({
  ...(fieldNotes[name] !== undefined && { description: fieldNotes[name] }),
  ...schema,
  ...fieldNotesByRoute[`${method} ${path}`]?.[name],
})
