import { z } from 'zod'
import { eventTypes } from './event-feed/event-types.ts'
import { administratorRoles } from './kernel/administrator-roles.ts'
import { locale, riskLevel } from './kernel/fields.ts'
import { keyRefusalCodes } from './kernel/key-refusals.ts'
import { type HoldReason, holds, policy } from './kernel/policy.ts'
import { providerIds } from './kernel/provider-ids.ts'
import { roles } from './kernel/roles.ts'
import { securitySteps } from './profile/security-score.ts'
import { acrValues } from './sessions/contract.ts'

const holdReasons = Object.keys(holds) as HoldReason[]

const date = z.iso.datetime().describe('UTC, with milliseconds')

const place = z
  .strictObject({ city: z.string().nullable(), country: z.string().nullable() })
  .nullable()
  .describe("Where the network is, in the user's language. Null if it is not known")

export const userAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    createdAt: date,
    updatedAt: date,
    twoFactorEnabled: z.boolean(),
    tradingEnabled: z.boolean(),
    riskLevel,
    heldUntil: date.nullable().describe('Withdrawals are on hold until then. Null or past: no hold'),
    role: z.enum([...administratorRoles, 'user']).describe('`user` unless the person is an administrator of the service'),
  })
  .meta({ id: 'User' })

const sessionFields = {
  id: z.string(),
  token: z.string().describe('A handle to revoke the session. It grants no access.'),
  userId: z.string(),
  expiresAt: date,
  createdAt: date,
  updatedAt: date.describe('The last extension'),
  ipAddress: z.string(),
  userAgent: z.string(),
  activeOrganizationId: z.string().nullable(),
  impersonatedBy: z
    .string()
    .nullable()
    .describe('The administrator who opened this session to read. Null: the user’s own session'),
}

export const sessionAnswer = z.strictObject(sessionFields).meta({ id: 'Session' })

export const deviceAnswer = z
  .strictObject({
    ...sessionFields,
    device: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    nickname: z.string().nullable(),
    lastSeenAt: date.describe(`Exact to ${policy.session.lastSeenPrecision / 60} minutes`),
    place,
    trusted: z.boolean().describe('This device signs in without a two-factor code'),
    current: z.boolean(),
  })
  .meta({ id: 'Device' })

export const statusAnswer = z.strictObject({ status: z.literal(true) })
export const successAnswer = z.strictObject({ success: z.literal(true) })

export const accountAnswer = z
  .strictObject({
    id: z.string(),
    accountId: z.string().describe("The user's id at the provider; the user's id here for `credential`"),
    providerId: z.string(),
    userId: z.string(),
    scopes: z.array(z.string()),
    lastUsedAt: date.nullable(),
    createdAt: date,
    updatedAt: date,
  })
  .meta({ id: 'Account' })

export const accountsAnswer = z.array(accountAnswer)
export const socialRedirectAnswer = z.strictObject({ url: z.string(), redirect: z.boolean() })
export const signUpAnswer = z.strictObject({ token: z.null(), user: userAnswer })
export const twoFactorRedirectAnswer = z
  .strictObject({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.enum(['totp', 'passkey'])) })
  .meta({ id: 'TwoFactorRedirect', description: 'No session yet: the sign-in needs a code' })

export const signInAnswer = z.union([
  z.strictObject({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: userAnswer }),
  twoFactorRedirectAnswer,
])
export const reauthenticateAnswer = z.union([statusAnswer, socialRedirectAnswer])
export const reauthenticationAnswer = z.strictObject({
  until: date.describe('Sensitive actions need no reauthentication until then; in the past when they do'),
  methods: z.array(z.enum(['passkey', 'password', 'code', ...providerIds, 'email'])).describe('How the user can reauthenticate'),
  satisfied: z.boolean().describe('The session meets `acr` and `max_age`; without them, it needs no reauthentication'),
})
export const currentSessionAnswer = z.strictObject({ session: sessionAnswer, user: userAnswer }).nullable()
/** An event of the feed, and the body of a webhook without `id`. */
export const feedEventAnswer = z
  .strictObject({
    id: z.string().describe('Sorts by the order of the feed. The same in every delivery'),
    type: z.enum(eventTypes),
    timestamp: z.iso.datetime().describe('When the change was made'),
    data: z.record(z.string(), z.unknown()).describe('Ids and what changed: docs/events.md'),
  })
  .meta({ id: 'Event' })
export const eventPageAnswer = z.strictObject({
  events: z.array(feedEventAnswer),
  cursor: z.string().describe('The `after` of the next call'),
  caughtUp: z.boolean().describe('Whether the page holds every event of the changes that were committed before the call'),
})
/** Server-Sent Events: each event, and a heartbeat with the cursor each second. */
export const eventStreamAnswer = z.string()
/** No body: the headers say everything. */
export const emptyAnswer = z.literal('')
export const accessTokenAnswer = z.strictObject({
  token: z.string().describe('A JWT (RFC 9068)'),
  expiresIn: z.number().int().describe('Seconds'),
})
export const jwksAnswer = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      alg: z.literal('ES256'),
      use: z.literal('sig'),
      kid: z.string(),
      x: z.string(),
      y: z.string(),
    }),
  ),
})
export const devicesAnswer = z.array(deviceAnswer)
export const requestResetAnswer = z.strictObject({ status: z.literal(true), message: z.string() })
export const changePasswordAnswer = z.strictObject({ token: z.string(), user: userAnswer })
export const undoEmailChangeAnswer = z.strictObject({
  status: z.literal(true),
  effects: z
    .strictObject({
      sessions: z.number().int().describe('Sessions that ended'),
      passwordRemoved: z.boolean(),
      unlinkedProviders: z.array(z.string()),
      twoFactor: z.enum(['none', 'kept', 'removed', 'restored']),
      backupCodesRemoved: z.boolean(),
      passkeysRemoved: z.number().int().describe('Passkeys that were added within a week before the change or since'),
      apiKeysRemoved: z.number().int().describe('API keys that were created or changed within a week before the change or since'),
      addressesRemoved: z
        .number()
        .int()
        .describe('Withdrawal addresses that were added within a week before the change or since'),
      trustedDevices: z.number().int().describe('Devices that need a code again'),
      invitations: z.number().int().describe('Sent invitations that were canceled'),
      tradingDisabled: z.boolean(),
      riskLevelLowered: z.boolean().describe('The risk level is now the lowest'),
      profileRestored: z.boolean().describe('Name and picture are as before the change'),
    })
    .describe('What the undo removed or restored'),
})
export const verifyEmailAnswer = z.strictObject({
  status: z.literal(true),
  user: userAnswer.nullable(),
  passwordCleared: z
    .literal(true)
    .optional()
    .describe('Several people signed up with this email, so a link to choose a password was sent'),
})
export const deleteUserAnswer = z.strictObject({ success: z.literal(true), message: z.string() })

const newBackupCodes = z.array(z.string()).describe('Shown once. Empty when two-factor was on: the former codes stay valid')
export const enableTwoFactorAnswer = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('totp'), totpURI: z.string(), backupCodes: newBackupCodes }),
  z.strictObject({ method: z.literal('passkey'), backupCodes: newBackupCodes }),
])
export const totpUriAnswer = z.strictObject({ totpURI: z.string() })
export const verifyTwoFactorAnswer = z.strictObject({
  token: z.string(),
  user: userAnswer,
  url: z.string().optional().describe('The callbackURL of the sign-in that this code completed'),
})
export const backupCodesAnswer = z.strictObject({
  status: z.literal(true),
  backupCodes: z.array(z.string()).describe('Shown once'),
})
export const trustedDevicesAnswer = z.array(
  z
    .strictObject({
      id: z.string(),
      device: z.string().nullable(),
      browser: z.string().nullable(),
      os: z.string().nullable(),
      ipAddress: z.string(),
      userAgent: z.string(),
      createdAt: date,
      lastUsedAt: date,
      expiresAt: date,
      current: z.boolean(),
    })
    .meta({ id: 'TrustedDevice' }),
)

export const exportAnswer = z.looseObject({ exportedAt: date, user: z.looseObject({ id: z.string() }) })
export const activityAnswer = z.strictObject({
  events: z.array(
    z
      .strictObject({
        id: z.string(),
        action: z.string(),
        succeeded: z.boolean(),
        byAnother: z.boolean().describe('Another user changed the account; device and IP address are empty'),
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullable(),
        ipAddress: z.string(),
        device: z.string().nullable(),
        browser: z.string().nullable(),
        os: z.string().nullable(),
        place,
        createdAt: date,
      })
      .meta({ id: 'AccountEvent' }),
  ),
  nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
})
export const setPictureAnswer = z.strictObject({ image: z.string().describe('The address of the picture') })
/** The bytes of a picture. */
export const webpAnswer = z.string()
export const securityAnswer = z.strictObject({
  score: z.int().describe('0 to 100'),
  steps: z.array(z.strictObject({ name: z.enum(securitySteps), points: z.int(), done: z.boolean() })),
  next: z.enum(securitySteps).nullable().describe('The first step that is not done'),
})
/** Options of WebAuthn, in the JSON form that browsers parse. */
export const passkeyOptionsAnswer = z.looseObject({ challenge: z.string() })
export const passkeyAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    publicKey: z.string().describe('COSE, base64'),
    userId: z.string(),
    credentialID: z.string().describe('base64url'),
    counter: z.number(),
    deviceType: z.enum(['singleDevice', 'multiDevice']).describe('multiDevice: the passkey may be synced'),
    backedUp: z.boolean().describe('The passkey is synced'),
    transports: z.string().describe('Separated by commas'),
    createdAt: date,
    aaguid: z.string(),
    lastUsedAt: date.nullable(),
    authenticator: z.string().nullable().describe('The product that holds the passkey, by its AAGUID'),
  })
  .meta({ id: 'Passkey' })
export const verifyRegistrationAnswer = z.union([
  passkeyAnswer,
  passkeyAnswer.extend({ session: sessionAnswer, user: userAnswer }),
])
export const passkeysAnswer = z.array(passkeyAnswer)
export const renamedPasskeyAnswer = z.strictObject({ passkey: passkeyAnswer })
export const signInPasskeyAnswer = z.union([
  z.strictObject({ session: sessionAnswer, user: userAnswer, url: z.string().optional() }),
  twoFactorRedirectAnswer,
])
const permissions = z.record(z.string(), z.array(z.string())).describe('Actions by resource, such as `{ "order": ["read"] }`')
const apiKeySettings = {
  id: z.string(),
  configId: z.literal('default'),
  name: z.string().nullable(),
  start: z.string().nullable().describe('The first characters of the secret. Null with a public key'),
  prefix: z.string().nullable(),
  referenceId: z.string().describe('The id of the person or of the organization'),
  enabled: z.boolean(),
  expiresAt: date.nullable(),
  createdAt: date,
  updatedAt: date,
  permissions,
  metadata: z.record(z.string(), z.unknown()).nullable(),
  publicKey: z.looseObject({ kty: z.string(), crv: z.string() }).nullable().describe('A JWK. The key then has no secret'),
  ipAllowlist: z.array(z.string()).describe('CIDR ranges. Empty: any address'),
}
const apiKeyFields = {
  ...apiKeySettings,
  lastRequest: date.nullable().describe('Up to half a minute late, as are `requestCount` and `lastUsedIp`'),
  requestCount: z.number().int(),
  rateLimitEnabled: z.literal(true),
  rateLimitTimeWindow: z.number().int().describe('Milliseconds'),
  rateLimitMax: z.number().int(),
  remaining: z.null(),
  refillAmount: z.null(),
  refillInterval: z.null(),
  lastRefillAt: z.null(),
  lastUsedAt: date.nullable(),
  lastUsedIp: z.string().nullable(),
  createdBy: z.string().describe('The id of the person who created the key'),
}
export const apiKeyAnswer = z.strictObject(apiKeyFields).meta({ id: 'ApiKey' })
export const createdApiKeyAnswer = z
  .strictObject({ ...apiKeyFields, key: z.string().optional().describe('The secret, shown once') })
  .meta({ id: 'NewApiKey' })
export const apiKeysAnswer = z.strictObject({
  apiKeys: z.array(apiKeyAnswer),
  total: z.int(),
  limit: z.int().optional(),
  offset: z.int().optional(),
})
export const verifiedApiKeyAnswer = z.discriminatedUnion('valid', [
  z.strictObject({
    valid: z.literal(true),
    error: z.null(),
    key: z.strictObject({
      ...apiKeySettings,
      userId: z.string(),
      organizationId: z.string().nullable(),
      role: z.enum(roles).nullable().describe('Of the user in the organization'),
      permissions: permissions.describe('What the key may do now'),
      method: z.enum(['bearer', 'signature']),
    }),
  }),
  z.strictObject({
    valid: z.literal(false),
    error: z.strictObject({
      code: z.enum(keyRefusalCodes),
      message: z.string(),
      details: z.strictObject({ tryAgainIn: z.number().int().describe('Milliseconds') }).optional(),
    }),
    key: z.null(),
  }),
])
const protectionStep = z.enum(['undo-panic', 'add-passkey', 'set-phrase', 'enable-allow-list', 'lock'])
export const protectionAnswer = z
  .strictObject({
    hold: z.strictObject({
      until: date.nullable(),
      reasons: z.array(z.strictObject({ reason: z.enum(holdReasons), startedAt: date, endsAt: date })),
      liftable: z.boolean().describe('A passkey is a week older than every hold, and one of them can be ended early'),
    }),
    lock: z.strictObject({
      locked: z.boolean(),
      kind: z.enum(['owner', 'panic']).nullable(),
      lockedAt: date.nullable(),
      unlockDays: z.int().nullable().describe('How many days unlocking takes'),
      unlockAt: date.nullable().describe('When the lock ends. Null while no unlock is requested'),
      hasKey: z.boolean(),
      days: z.strictObject({ least: z.int(), most: z.int() }).describe('The days that a user may choose for unlocking'),
    }),
    phrase: z.string().nullable(),
    passkey: z.enum(['none', 'new', 'ready']).describe('`ready`: a passkey is a week old and can lock the account'),
    next: protectionStep.nullable().describe('The recommended next step'),
  })
  .meta({ id: 'Protection' })
export const lockAnswer = z.strictObject({ lockKey: z.string().describe('Shown once') })
export const unlockAnswer = z.strictObject({ unlockAt: date })
export const liftedHoldAnswer = z.strictObject({ heldUntil: date.nullable() })
export const panicAnswer = z.strictObject({
  status: z.literal(true),
  wasUsed: z.boolean().describe('The link was used before, and changed nothing now'),
})
const allowListState = {
  enabled: z.boolean().describe('Whether the list is on. While it is off, every address is allowed'),
  endsAt: date.nullable().describe('When a pending switch-off takes effect'),
}
const usableFrom = date.describe('When the cooling-off of the address ends')
export const allowListAnswer = z.strictObject(allowListState)
export const allowListEntryAnswer = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    value: z.string(),
    label: z.string(),
    createdAt: date,
    usableFrom,
    usable: z.boolean().describe('Whether the cooling-off is over'),
  })
  .meta({ id: 'AllowListEntry' })
export const allowListEntriesAnswer = z.strictObject({
  ...allowListState,
  coolingOffHours: z.int().describe('How long a new address and a switch-off wait'),
  entries: z.array(allowListEntryAnswer),
})
export const checkedAllowListEntryAnswer = z.strictObject({
  allowed: z.boolean().describe("Whether the user's money may go there now"),
  enabled: allowListState.enabled,
  usableFrom: usableFrom.nullable().describe('When the cooling-off of the address ends. Null: not on the list'),
})
const seconds = z.int().describe('Seconds since 1970')
const confirmationFields = {
  id: z.string(),
  display: z
    .array(z.strictObject({ label: z.string(), value: z.string() }))
    .describe('Every member of every detail, in the language of the user. Show all of it'),
  options: passkeyOptionsAnswer.nullable().describe('For `navigator.credentials.get`. Null without a passkey'),
  expiresAt: date,
}
const authorizationDetails = z.array(z.looseObject({ type: z.string() }))
const receipt = z.string().describe('A JWS of the type confirmation+jwt, for the audience')
export const createdConfirmationAnswer = z.strictObject({
  ...confirmationFields,
  url: z.string().describe('The page that asks the user'),
})
export const confirmationAnswer = z
  .strictObject({
    ...confirmationFields,
    options: confirmationFields.options.describe('While it is pending. Null without a passkey'),
    locale: locale.describe('The language of `display`'),
    type: z.string(),
    status: z.enum(['pending', 'approved', 'rejected', 'consumed', 'expired']),
    authorization_details: authorizationDetails,
    audience: z.string(),
    createdBy: z.string().nullable().describe('The name of the service that asked. Null: the user'),
    method: z.enum(['none', 'otp', 'passkey']).describe('What approves it. At `otp`, a passkey does too'),
    blockedBy: z.enum(['lock', 'hold']).nullable().describe('Why the account cannot approve now'),
    heldUntil: date.nullable().describe('Withdrawals are on hold until then. Null: no hold'),
    receipt: receipt.nullable().describe('Once it is approved, until it is consumed or expires'),
  })
  .meta({ id: 'Confirmation' })
export const receiptAnswer = z.strictObject({ receipt })
export const consumedConfirmationAnswer = z.strictObject({
  receipt,
  sub: z.string().describe("The user's id"),
  aud: z.string(),
  type: z.string(),
  authorization_details: authorizationDetails,
  acr: z.enum(acrValues),
  amr: z.array(z.string()),
  txn_hash: z.string().describe('The challenge that the passkey signed, in base64url'),
  exp: seconds,
})
export const introspectAnswer = z.union([
  z.strictObject({ active: z.literal(false) }),
  z
    .strictObject({
      active: z.literal(true),
      iss: z.string(),
      sub: z.string().describe("The user's id"),
      sid: z.string().describe('The handle of the session'),
      client_id: z.string(),
      exp: seconds,
      iat: seconds,
      auth_time: seconds.describe('When the user last proved who they are'),
      acr: z.enum(acrValues),
      amr: z.array(z.string()),
      org: z.string().optional(),
      role: z.enum(roles).optional(),
      scope: z.string(),
      trading: z.boolean(),
      hold: seconds.optional().describe('Withdrawals are on hold until then'),
      token_type: z.enum(['session', 'Bearer']),
      aud: z.string().optional().describe('Of an access token'),
      jti: z.string().optional().describe('Of an access token'),
    })
    .meta({ id: 'Introspection' }),
])
const role = z.enum(roles)
export const organizationFields = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  createdAt: date,
}
const acceptedAt = date.nullable().describe('Null while a user whom another member added has not accepted')
const memberFields = { id: z.string(), organizationId: z.string(), userId: z.string(), role, acceptedAt, createdAt: date }

export const organizationAnswer = z.strictObject(organizationFields).meta({ id: 'Organization' })
export const memberAnswer = z.strictObject(memberFields).meta({ id: 'Member' })
export const fellowMemberAnswer = z
  .strictObject({
    ...memberFields,
    user: z.strictObject({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable() }),
  })
  .meta({ id: 'FellowMember' })

const invitationFields = {
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role,
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
  inviterId: z.string().nullable(),
  createdAt: date,
  expiresAt: date,
}
export const invitationAnswer = z.strictObject(invitationFields).meta({ id: 'Invitation' })

const person = z.strictObject({ id: z.string(), name: z.string() })

export const createdOrganizationAnswer = z
  .strictObject({ ...organizationFields, members: z.array(memberAnswer) })
  .meta({ id: 'NewOrganization' })
export const organizationsAnswer = z.array(
  z.strictObject({ ...organizationFields, role, acceptedAt }).meta({ id: 'JoinedOrganization' }),
)
export const fullOrganizationAnswer = z
  .strictObject({ ...organizationFields, members: z.array(fellowMemberAnswer), invitations: z.array(invitationAnswer) })
  .meta({ id: 'FullOrganization' })
  .nullable()
export const removedMemberAnswer = z.strictObject({ member: memberAnswer })
export const membersAnswer = z.strictObject({ members: z.array(fellowMemberAnswer), total: z.int() })
export const roleAnswer = z.strictObject({ role })
export const permissionAnswer = z.strictObject({ error: z.null(), success: z.boolean() })
export const acceptedInvitationAnswer = z.strictObject({ invitation: invitationAnswer, member: memberAnswer })
export const rejectedInvitationAnswer = z.strictObject({ invitation: invitationAnswer, member: z.null() })
export const presentedInvitation = z.strictObject({
  ...invitationFields,
  organizationName: z.string(),
  organizationSlug: z.string(),
  inviterEmail: z.string().nullable(),
})
export const invitationsAnswer = z.array(invitationAnswer)
export const ownInvitationsAnswer = z.array(z.strictObject({ ...invitationFields, organizationName: z.string() }))
export const organizationActivityAnswer = z.strictObject({
  events: z.array(
    z
      .strictObject({
        id: z.string(),
        action: z.string(),
        actor: person.nullable().describe('Null for an operator, a deleted account, and an invited person who declined'),
        member: person.nullable().describe('The member whom the change concerns'),
        invitedEmail: z.string().nullable().describe('While the invitation is kept'),
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        createdAt: date,
      })
      .meta({ id: 'OrganizationEvent' }),
  ),
  nextCursor: z.string().nullable(),
})
export const errorAnswer = z.strictObject({ code: z.string(), message: z.string() }).meta({ id: 'Error' })

const foundUserFields = {
  ...userAnswer.shape,
  banned: z.boolean().describe('Whether the user is suspended'),
  suspendedAt: date.nullable(),
  banExpires: date.nullable().describe('When the suspension ends by itself'),
}
const foundUserAnswer = z.strictObject(foundUserFields).meta({ id: 'FoundUser' })
export const foundUsersAnswer = z.strictObject({
  users: z.array(foundUserAnswer),
  total: z.number().describe(`Exact up to ${policy.administration.exactCount}, then about right`),
  limit: z.int(),
  offset: z.int(),
})
export const userDetailsAnswer = z
  .strictObject({
    ...foundUserFields,
    locale,
    lock: z
      .strictObject({
        kind: z.string().nullable(),
        since: date.nullable(),
        unlockDays: z.int().nullable(),
        unlockAt: date.nullable(),
      })
      .nullable(),
    accounts: z.array(
      z.strictObject({
        providerId: z.string(),
        accountId: z.string(),
        hasPassword: z.boolean(),
        lastUsedAt: date.nullable(),
        createdAt: date,
      }),
    ),
    twoFactor: z
      .strictObject({
        since: date.nullable(),
        failedAttempts: z.int(),
        lockedUntil: date.nullable(),
        backupCodesLeft: z.int(),
      })
      .nullable(),
    passkeys: z.int(),
    sessions: z.int(),
    trustedDevices: z.int(),
    organizations: z.array(z.strictObject({ id: z.string(), slug: z.string(), role: z.string() })),
  })
  .meta({ id: 'UserDetails' })
export const approvalsAnswer = z.strictObject({
  approvals: z.array(
    z
      .strictObject({
        id: z.string(),
        userId: z.string(),
        email: z.string(),
        action: z.string().describe('`set-role`, `restore-user`, `remove-user` or `disable-two-factor`'),
        role: z.string().nullable().describe('That a `set-role` gives'),
        clearPassword: z.boolean().describe('Whether a `restore-user` clears the password'),
        reason: z.string(),
        requestedBy: z.string(),
        requesterEmail: z.string(),
        createdAt: date,
        expiresAt: date,
      })
      .meta({ id: 'Approval' }),
  ),
})
export const administeredUserAnswer = foundUserAnswer
export const bannedUserAnswer = z.strictObject({ user: foundUserAnswer })
export const impersonationAnswer = z.strictObject({ session: sessionAnswer, user: userAnswer })
export const userSessionsAnswer = z.strictObject({
  sessions: z.array(deviceAnswer.omit({ place: true, current: true })),
})
export const auditEventsAnswer = z.strictObject({
  events: z.array(
    z.strictObject({
      id: z.string(),
      userId: z.string(),
      actorId: z
        .string()
        .nullable()
        .describe('The one that acted, if not the user: a user id, `operator:<name>` or `service:<name>`'),
      organizationId: z.string().nullable(),
      action: z.string(),
      succeeded: z.boolean(),
      details: z.record(z.string(), z.unknown()).nullable(),
      ipAddress: z.string(),
      userAgent: z.string(),
      createdAt: date,
    }),
  ),
})
export const revokedSessionsAnswer = z.strictObject({
  success: z.literal(true),
  revoked: z.int().describe('The number of sessions that ended. 0: the session had ended, or has another token by now'),
})
