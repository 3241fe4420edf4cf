export type Schema = Record<string, unknown>

const ids: Record<string, string> = {
  user: '01939d3e-5c1a-7c42-9d0e-2f6b8a4c7e10',
  session: '01939d41-08f2-7b6e-8a15-6c0d3e9f5b27',
  organization: '01939d44-7ad9-7e05-b3c8-91f4a2d6e038',
  member: '01939d44-7b02-71aa-8f6d-0e5c3b7a9d41',
  invitation: '01939d46-c3b5-74d0-a972-5d8e1f0b6c52',
  other: '01939d49-2e67-7f18-86b4-3a7c9d0e5f63',
}

const event = 'evt_0000000000000042_1f9c03ab'

const opaque = 'kR3vX9bQ2mTz7LpYw4NcJ8sHf6DgA1eUo5ViB0qSxEZ'

/** Its checksum is wrong, so scanners leave it alone. */
const keySecret = 'fp_user_4kR3vX9bQ2mTz7LpYw4NcJ8sHf6DgA1eUo5ViB0qSxEZ000000'

const wallet = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const transfer = { type: 'withdrawal', amount: '2500.00', currency: 'EUR', payee: 'Grace Hopper' }

const organization = { id: ids.organization, name: 'Meridian Rates Desk' }
const user = { id: ids.user, role: 'user', heldUntil: null }
const found = { ...user, suspendedAt: null, banExpires: null }
const apiKey = {
  name: 'Market maker',
  enabled: true,
  start: keySecret.slice(0, 12),
  prefix: null,
  permissions: { order: ['read', 'place'] },
  publicKey: null,
  referenceId: ids.user,
}
const entry = { kind: 'bitcoin', value: wallet, label: 'Cold wallet' }

/** Example values of the fields of a type, or of the object that a field holds. */
const valuesByOwner: Record<string, Record<string, unknown> | undefined> = {
  User: user,
  FoundUser: found,
  UserDetails: found,
  Session: { id: ids.session },
  Device: { id: ids.session },
  Organization: organization,
  NewOrganization: organization,
  JoinedOrganization: organization,
  FullOrganization: organization,
  FoundOrganization: organization,
  OrganizationDetails: organization,
  Member: { id: ids.member },
  FellowMember: { id: ids.member },
  Invitation: { id: ids.invitation },
  Passkey: { name: 'Phone' },
  ApiKey: apiKey,
  NewApiKey: { ...apiKey, key: keySecret },
  AllowListEntry: entry,
  Approval: { action: 'set-role', role: 'support' },
  Confirmation: { type: 'withdrawal', blockedBy: null, heldUntil: null, receipt: null },
  user: { id: ids.user },
  actor: { id: ids.user },
  member: { id: ids.user },
  sessions: { id: ids.session },
  key: apiKey,
  response: { id: opaque },
  display: { label: 'Amount', value: '2500.00' },
  lock: { kind: 'owner' },
  organizations: { id: ids.organization },
  settings: { name: 'RATE_LIMIT', value: 'on' },
  services: { name: 'ledger', scopes: ['session:verify', 'events:read'] },
  webhooks: {
    url: 'https://ledger.example.com/webhooks',
    types: ['session.ended'],
    failingSince: null,
    pausedAt: null,
    pauseReason: null,
    publicKey: null,
  },
  deliveries: { type: 'session.ended', status: 'delivered', answer: 204, nextAttemptAt: null },
}

/** Example values by the name of the field. */
const values: Record<string, unknown> = {
  aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
  accountId: '583231',
  acr: 'aal1',
  action: 'sign-in',
  actorId: ids.user,
  activeOrganizationId: ids.organization,
  amr: ['pwd'],
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
  aud: 'https://api.example.com',
  audience: 'https://api.example.com',
  authenticator: 'iCloud Keychain',
  authorization_details: [transfer],
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2M',
  backupCodes: ['7f3kq-m2xwp', 'c9d4h-t6vbn'],
  browser: 'Firefox 145',
  callbackURL: '/dashboard',
  challenge: opaque,
  city: 'Lyon',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  client_id: 'https://accounts.example.com',
  code: '492039',
  contact: 'ledger@example.com',
  country: 'France',
  counter: 7,
  createdAt: '2026-11-24T09:30:00.000Z',
  createdBy: ids.user,
  credentialID: 'Jb2lWd0hQc1hZZk1tT3Z3cUE',
  currentPassword: 'plum kettle orbit',
  details: { factor: 'totp' },
  device: 'Mac',
  deviceType: 'multiDevice',
  email: 'ada@example.com',
  event,
  exp: 1796117400,
  expiresAt: '2026-12-01T09:30:00.000Z',
  coolingOffHours: 24,
  endsAt: '2026-12-01T09:30:00.000Z',
  usableFrom: '2026-12-01T09:30:00.000Z',
  expiresIn: 120,
  exportedAt: '2026-11-24T09:30:00.000Z',
  iat: 1795512600,
  id: ids.other,
  auth_time: 1795512600,
  image: 'https://images.example.com/ada.png',
  impersonatedBy: null,
  invitationId: ids.invitation,
  invitedEmail: 'grace@example.com',
  inviterEmail: 'grace@example.com',
  inviterId: ids.user,
  ipAddress: '203.0.113.7',
  ipAllowlist: ['192.0.2.0/24'],
  iss: 'https://accounts.example.com',
  kid: 'q8Zr41Lk7TnB2vXw',
  lastError: '550 5.1.1 no such mailbox',
  lastUsedIp: '192.0.2.7',
  logo: 'https://images.example.com/desk.png',
  memberId: ids.member,
  memberIdOrEmail: 'grace@example.com',
  metadata: { floor: 3 },
  name: 'Ada Lovelace',
  newEmail: 'ada@example.org',
  newPassword: 'violet harbor ladder',
  nextCursor: null,
  nickname: 'Desk computer',
  organizationId: ids.organization,
  organizationName: organization.name,
  organizationSlug: 'meridian-rates',
  os: 'macOS',
  password: 'plum kettle orbit',
  permissions: { organization: ['update'] },
  providerId: 'github',
  provider: 'github',
  publicKey: 'pQECAyYgASFYIHJb2lWd0hQc1hZZk1tT3Z3cUE',
  rawId: opaque,
  reason: 'joined the support team',
  receipt: `eyJhbGciOiJFUzI1NiJ9.eyJhbW91bnQiOiIyNTAwIn0.${opaque}`,
  requestedBy: ids.user,
  requesterEmail: 'grace@example.com',
  role: 'member',
  scope: 'account:read order:read',
  scopes: ['read:user', 'user:email'],
  score: 60,
  sessionToken: ids.session,
  sid: ids.session,
  signature: 'MEUCIQDkR3vX9bQ2mTz7LpYw4NcJ8sHf6DgA1eUo5ViB0',
  slug: 'meridian-rates',
  sub: ids.user,
  subject: 'Reset your password',
  to: 'grace@example.com',
  txn_hash: opaque,
  tradingEnabled: false,
  type: 'withdrawal',
  emailVerified: true,
  twoFactorEnabled: false,
  unlinkedProviders: ['github'],
  total: 1,
  token: opaque,
  totpURI: 'otpauth://totp/Floorpass:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Floorpass',
  transports: 'internal,hybrid',
  until: '2026-11-24T09:45:00.000Z',
  heldUntil: '2026-11-25T09:30:00.000Z',
  startedAt: '2026-11-24T09:30:00.000Z',
  failingSince: '2026-11-24T09:30:00.000Z',
  finishedAt: '2026-11-24T09:30:00.000Z',
  lockedAt: '2026-11-24T09:30:00.000Z',
  nextAttemptAt: '2026-11-24T09:30:00.000Z',
  pausedAt: '2026-11-24T09:30:00.000Z',
  unlockAt: '2026-12-01T09:30:00.000Z',
  lockedUntil: '2026-12-01T09:30:00.000Z',
  since: '2026-11-24T09:30:00.000Z',
  suspendedAt: '2026-11-24T09:30:00.000Z',
  banExpires: '2026-12-24T09:30:00.000Z',
  lockKey: 'k7w2m-9hq4t-x3r8c-v6n1p-5jd0s',
  phrase: 'blue heron at dawn',
  updatedAt: '2026-11-24T09:30:00.000Z',
  lastSeenAt: '2026-11-24T09:30:00.000Z',
  lastRequest: '2026-11-24T09:30:00.000Z',
  lastUsedAt: '2026-11-24T09:30:00.000Z',
  acceptedAt: '2026-11-24T09:30:00.000Z',
  url: 'https://github.com/login/oauth/authorize?client_id=…',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  userHandle: 'a1eUo5ViB0qSxEZ',
  userId: ids.user,
  webhookId: ids.other,
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}

/** What a browser answers to the options of a passkey. */
const assertion = {
  id: opaque,
  rawId: opaque,
  type: 'public-key',
  response: {
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2M',
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    signature: opaque,
  },
}

/** Inputs that show more than the required fields, or other values than the fields' usual ones. */
export const inputExamples: Record<string, Record<string, unknown>> = {
  'GET /admin/list-users': { searchValue: 'ada@', limit: '20' },
  'POST /admin/ban-user': { userId: ids.user, banReason: 'a stolen card was used' },
  'GET /admin/audit-events.csv': { userId: ids.user },
  'GET /admin/list-organizations': { searchValue: 'meridian', limit: '20' },
  'GET /admin/get-organization': { id: ids.organization },
  'POST /admin/suspend-organization': { organizationId: ids.organization, reason: 'asked by the police' },
  'POST /admin/restore-organization': { organizationId: ids.organization, reason: 'the police agreed' },
  'POST /admin/change-organization-owner': {
    organizationId: ids.organization,
    userId: ids.user,
    reason: 'the owner has died',
  },
  'GET /admin/list-refused-mails': { limit: '20' },
  'POST /admin/revoke-user-api-key': { keyId: ids.other, reason: 'the key was found on a page' },
  'POST /admin/unban-user': { userId: ids.user, reason: 'the owner proved the purchase' },
  'POST /admin/create-user': { email: 'grace@example.com', name: 'Grace Hopper' },
  'POST /admin/update-user': { userId: ids.user, data: { name: 'Ada Lovelace' } },
  'POST /admin/set-role': { userId: ids.user, role: 'support', reason: 'joined the support team' },
  'POST /admin/set-user-password': { userId: ids.user, newPassword: 'plum kettle orbit' },
  'POST /admin/disable-two-factor': { userId: ids.user, reason: 'the phone is lost' },
  'POST /admin/remove-user': { userId: ids.user, reason: 'asked by the owner in writing' },
  'POST /admin/reject-approval': { approvalId: ids.user },
  'POST /admin/impersonate-user': { userId: ids.user, reason: 'asked in ticket 4711 why a withdrawal waits' },
  'GET /admin/list-audit-events': { userId: ids.user, limit: '20' },
  'POST /sign-in/email': { email: 'ada@example.com', password: 'plum kettle orbit', rememberMe: true },
  'POST /reauthenticate': { password: 'plum kettle orbit' },
  'GET /reauthentication': { acr: 'aal2', max_age: '900' },
  'GET /verify': { max_age: '900' },
  'GET /token': { scope: 'email' },
  'POST /revoke-session': { token: ids.session },
  'GET /list-activity': { limit: '20' },
  'POST /update-user': { name: 'Ada Lovelace', riskLevel: 'moderate' },
  'POST /set-picture': { picture: 'iVBORw0KGgo…' },
  'POST /take-provider-picture': { providerId: 'github' },
  'GET /pictures/{name}.webp': { name: opaque },
  'POST /delete-user': { password: 'plum kettle orbit' },
  'POST /unlink-account': { providerId: 'github' },
  'GET /reset-password': { token: opaque, callbackURL: '/reset-password' },
  'POST /two-factor/enable': { password: 'plum kettle orbit' },
  'POST /two-factor/get-totp-uri': { password: 'plum kettle orbit' },
  'POST /two-factor/disable': { password: 'plum kettle orbit' },
  'POST /two-factor/generate-backup-codes': { password: 'plum kettle orbit' },
  'POST /two-factor/verify': { code: '492039', trustDevice: true },
  'POST /two-factor/verify-backup-code': { code: '7f3kq-m2xwp' },
  'POST /organization/create': { name: 'Meridian Rates Desk', slug: 'meridian-rates' },
  'POST /organization/update': { organizationId: ids.organization, data: { name: 'Meridian Credit Desk' } },
  'POST /organization/set-active': { organizationId: ids.organization },
  'POST /organization/invite-member': { email: 'grace@example.com', role: 'member' },
  'GET /organization/get-invitation': { id: ids.invitation },
  'GET /organization/list-members': { limit: '10', sortBy: 'role' },
  'GET /passkey/generate-register-options': { name: 'Phone' },
  'GET /passkey/generate-authenticate-options': { discoverable: 'true' },
  'POST /passkey/update-passkey': { id: ids.other, name: 'Phone' },
  'POST /passkey/delete-passkey': { id: ids.other },
  'POST /api-key/create': {
    name: 'Market maker',
    permissions: { order: ['read', 'place', 'cancel'] },
    ipAllowlist: ['192.0.2.0/24'],
  },
  'POST /api-key/update': { keyId: ids.other, enabled: false },
  'POST /api-key/delete': { keyId: ids.other },
  'GET /api-key/get': { id: ids.other },
  'POST /api-key/report': { key: keySecret },
  'POST /api-key/verify': { key: keySecret, permissions: { order: ['place'] }, ip: '192.0.2.7' },
  'POST /protection/lock': { days: 7, passkey: assertion },
  'POST /protection/unlock-with-key': { key: 'k7w2m-9hq4t-x3r8c-v6n1p-5jd0s', passkey: assertion },
  'POST /protection/lift-hold': { passkey: assertion },
  'POST /protection/undo-panic': { passkey: assertion },
  'POST /protection/set-phrase': { phrase: 'blue heron at dawn' },
  'POST /allow-list/add': entry,
  'POST /allow-list/remove': { id: ids.other },
  'POST /allow-list/set-enabled': { enabled: true },
  'POST /allow-list/check': { userId: ids.user, kind: 'bitcoin', value: wallet },
  'POST /confirmation/create': { authorization_details: [transfer], audience: 'https://api.example.com', ttl: 120 },
  'GET /confirmation/get': { id: ids.other },
  'POST /confirmation/approve': { id: ids.other, code: '492039' },
  'POST /confirmation/reject': { id: ids.other },
  'POST /confirmation/consume': { jti: ids.other, audience: 'https://api.example.com' },
  'GET /events': { after: event, types: 'session.ended,key.ended', limit: 100, wait: 25 },
  'GET /events/stream': { after: event, types: 'activity.*' },
  'GET /callback/google': { code: '4/0AbCdEf', state: opaque },
  'GET /callback/github': { code: '8f2b1c', state: opaque },
}

export const answerExamples: Record<string, unknown> = {
  'GET /events': {
    events: [
      {
        id: 'evt_0000000000000043_8e02bd71',
        type: 'session.ended',
        timestamp: '2026-11-24T10:30:00.000Z',
        data: { userId: ids.user, sessionId: ids.session },
      },
    ],
    cursor: 'evt_0000000000000043_8e02bd71',
    caughtUp: true,
  },
  'POST /forget-password': {
    status: true,
    message: 'If this email exists in our system, check your email for the reset link',
  },
  'POST /delete-user': { success: true, message: 'User deleted' },
  'POST /introspect': {
    active: true,
    iss: 'https://accounts.example.com',
    sub: ids.user,
    sid: ids.session,
    client_id: 'https://accounts.example.com',
    exp: 1796117400,
    iat: 1795512600,
    auth_time: 1795512600,
    acr: 'aal1',
    amr: ['pwd'],
    scope: 'account:read order:read',
    trading: false,
    token_type: 'session',
  },
}

type Schemas = Record<string, unknown>

/** Builds an example from a JSON Schema: its required fields, and those that `valuesByOwner` names. */
export function buildExample(schema: Schema, schemas: Schemas, name = '', owner = name): unknown {
  const reference = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  if (reference !== undefined) return buildExample(schemas[reference] as Schema, schemas, name, reference)
  if ('const' in schema) return schema.const
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (values[name] === null && [schema, ...(options ?? [])].some(isNullable)) return null
  if (options?.[0]) return buildExample(options[0], schemas, name, owner)
  const named = values[name]
  const choices = schema.enum as unknown[] | undefined
  if (choices) return choices.includes(named) ? named : choices[0]
  // A nullable field lists its type first.
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'null') return null
  if (named !== undefined && hasType(named, type)) return named
  if (type === 'object') return buildObject(schema, schemas, owner)
  if (type === 'array') return [buildExample(schema.items as Schema, schemas, name)]
  if (type === 'boolean') return name === 'satisfied' || name === 'current'
  if (type === 'integer' || type === 'number') return 1
  return type === 'string' ? 'text' : {}
}

function buildObject({ properties = {}, required = [] }: Schema, schemas: Schemas, owner: string): Record<string, unknown> {
  const own = valuesByOwner[owner] ?? {}
  const isShown = (name: string) => (required as string[]).includes(name) || name in own
  const fields = Object.entries(properties as Record<string, Schema>).filter(([name]) => isShown(name))
  return Object.fromEntries(fields.map(([name, schema]) => [name, name in own ? own[name] : buildExample(schema, schemas, name)]))
}

const isNullable = ({ type }: Schema): boolean => [type].flat().includes('null')

const hasType = (value: unknown, type: unknown): boolean =>
  Array.isArray(value)
    ? type === 'array'
    : type === 'integer'
      ? Number.isInteger(value)
      : type === 'object'
        ? typeof value === 'object' && value !== null
        : typeof value === type
