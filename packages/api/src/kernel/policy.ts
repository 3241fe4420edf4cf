const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The limits that the specification leaves open (docs/gaps.md). Durations are in seconds. */
export const policy = {
  largestBody: 64 * 1024,
  /** Of a form with a file. Ours have five at most. */
  mostFormParts: 100,
  session: {
    lifetime: 7 * day,
    updateAge: 1 * day,
    absoluteLifetime: 30 * day,
    /** Applies when "Keep me signed in" is off. */
    browserLifetime: 1 * day,
    reauthenticationAge: 15 * minute,
    clockTolerance: 1 * minute,
    lastSeenPrecision: 10 * minute,
  },
  verifyEmail: { lifetime: 24 * hour },
  resetPassword: { lifetime: 1 * hour },
  changeEmail: { lifetime: 1 * hour },
  undoEmailChange: { lifetime: 7 * day },
  socialFlow: { lifetime: 10 * minute },
  deleteAccount: { lifetime: 1 * hour },
  reauthentication: {
    lifetime: 15 * minute,
    addressAge: 7 * day,
  },
  organizations: {
    perUser: 5,
    members: 100,
    pendingInvitations: 100,
    invitationLifetime: 48 * hour,
    metadata: 4096,
    listedInvitations: 200,
    /** Withdrawals for the organization wait as long after a role is given. */
    newRoleHold: 3 * day,
  },
  security: {
    backupCodesLow: 3,
    idleSession: 3 * day,
    passwordAge: 365 * day,
  },
  twoFactor: {
    codePeriod: 30,
    challengeLifetime: 10 * minute,
    attemptsPerChallenge: 5,
    failuresPerLock: 10,
    firstLock: 15 * minute,
    longestLock: 1 * day,
    /** After this many wrong codes in a row, only a backup code is accepted. */
    failuresEver: 100,
    backupCodes: 10,
    trustedDeviceLifetime: 30 * day,
    trustedDevicesPerUser: 20,
  },
  administration: {
    mostListed: 100,
    /** Further pages need `after`. */
    furthestOffset: 1000,
    /** The count of users is exact up to here, then an estimate of the database. */
    exactCount: 500,
    /** The most events in one audit file. */
    exportedEvents: 10_000,
    /** How long a request waits for the second administrator. */
    approvalLifetime: 1 * day,
    mostApproversMailed: 20,
    longestSuspension: 10 * 365 * day,
    suspensionEndsEvery: 1 * minute,
    impersonationLifetime: 30 * minute,
  },
  /** ADR 037. */
  passkeys: {
    perUser: 20,
    challengeLifetime: 5 * minute,
    /** From when on a passkey may turn two-factor off or replace backup codes. */
    ownerProofAge: day,
  },
  /** Wrong passwords in a row. Together at most the 100 of NIST SP 800-63B-4 3.2.2 (ADR 019). */
  passwordGuesses: {
    known: 20,
    /** After this, the password works only on known devices until the owner resets it. */
    unknown: 80,
    accountsPerDevice: 5,
    deviceLifetime: 180 * day,
  },
  rememberSignInMethod: 365 * day,
  accessToken: {
    /** A token outlives its session by at most this. */
    lifetime: 2 * minute,
    clockTolerance: 5,
  },
  signingKeys: {
    rotateEvery: 30 * day,
    /** A key is published for this long before it signs. Longer than verifiers and processes keep the key set. */
    publishedBefore: 15 * minute,
    /** How long a process uses the keys that it read. */
    inMemory: 30,
    /** How long verifiers and proxies keep the key set. */
    publicCache: 5 * minute,
    /** How long a key is published after the next one signs. Longer than a token lives. */
    keepRetired: 1 * hour,
  },
  /** ADR 040. */
  pictures: {
    /** Of a form with a picture. */
    largestForm: 2 * 1024 * 1024,
    /** A decoded pixel takes four bytes of memory. */
    mostPixels: 25_000_000,
    /** Width and height of what we store. */
    side: 256,
    /** Of a decoding. */
    longestWork: 5,
    waiting: 16,
    /** Of a provider's picture. */
    fetchTime: 5,
  },
  /** In one file of the activity. */
  exportedEvents: 5000,
  sessionsInMemory: 50_000,
  sessionsPerUser: 50,
  /** Invalid session cookies, per process (ADR 019). */
  sessionMisses: {
    addressPerMinute: 600,
    /** For a gateway that names itself with a service key. */
    gatewayPerMinute: 60_000,
    devicePerMinute: 30,
    readsPerSecond: 20,
  },
  rateLimitRecords: 50_000,
  hashQueueLength: 256,
  passwordQueueLength: 256,
  mail: {
    /** Longer than the slowest send. */
    lease: 2 * minute,
    firstRetry: 10,
    longestRetry: 1 * hour,
    longestPause: 1 * minute,
    longestTry: 3 * day,
    atOnce: 5,
  },
  services: {
    /** How long the older secret works after a rotation. */
    secretOverlap: 1 * day,
  },
  /** Of service secrets and API keys: the longest that a crash loses of their uses. */
  usesFlushedEvery: 30,
  apiKeys: {
    perUser: 50,
    perOrganization: 100,
    nameLength: 32,
    shortest: 1 * day,
    longest: 365 * day,
    /** Ranges of addresses. */
    ranges: 50,
    /** Bytes of JSON. */
    metadata: 4096,
    inMemory: 50_000,
    /** Of a signature that names no end. */
    usualWindow: 5,
    longestWindow: 60,
    clockTolerance: 5,
  },
  panic: {
    /** Of the link in a mail. */
    lifetime: 7 * day,
    /** Days from the request to unlock until the lock of a panic link ends. */
    unlockDays: 1,
  },
  phraseLength: 80,
  allowList: {
    perUser: 100,
  },
  /** docs/specs/confirmations.md. */
  confirmations: {
    longestLifetime: 5 * minute,
    /** Pending at once. A newer one replaces the oldest. */
    perUser: 20,
    attempts: 10,
    details: 10,
    /** Of the details, in bytes of JSON and in levels. */
    size: 4096,
    depth: 5,
    clockTolerance: 5,
  },
  /** docs/events.md. */
  events: {
    /** Between polls of the outbox, and between heartbeats of a stream. */
    poll: 1,
    /** From a commit to the flush, so that one transaction serves many changes. */
    batchPause: 0.02,
    batchSize: 500,
    batchesAtOnce: 4,
    pageSize: 100,
    longestPage: 500,
    longestWait: 30,
    /** A stream ends and the client reconnects, so a deleted secret stops working within a minute. */
    streamLifetime: 1 * minute,
    /** Long polls and streams of one process. */
    readersAtOnce: 200,
  },
  /** docs/events.md. */
  webhooks: {
    timeout: 10,
    /** Longer than the slowest delivery. */
    lease: 1 * minute,
    /** Of one webhook, in one process. */
    atOnce: 8,
    /** Due deliveries that a claim looks at, so that a user with many delays no other. */
    rankedAtOnce: 500,
    poll: 5,
    firstRetry: 5,
    retryFactor: 6,
    longestRetry: 20 * hour,
    mostAttempts: 10,
    /** A webhook whose every attempt fails for so long is paused. */
    pauseAfter: 3 * day,
    keyOverlap: 1 * day,
  },
  sweep: {
    every: 1 * hour,
    firstWithin: 1 * minute,
    batchSize: 500,
    keepLinks: 7 * day,
    /** At least. The sweep drops whole months (ADR 045). */
    keepAuditEvents: 400 * day,
    /** Longer than the service may go without a sweep. Later events go to the default partition. */
    auditMonthsAhead: 4,
    keepRefusedMails: 30 * day,
    keepEvents: 30 * day,
  },
  reseal: {
    /** After the roll-out: the previous version cannot open what this version seals. */
    after: 1 * hour,
    batchSize: 500,
  },
  smokeTests: {
    check: 15,
    suite: 20,
    slowestAnswer: 3,
    clockTolerance: 5,
    longestMailWait: 1 * hour,
  },
} as const

/** Why withdrawals are held. A passkey that is a week older than every hold ends the liftable ones (ADR 053). */
export const holds = {
  'change-password': { isLiftable: true },
  'reset-password': { isLiftable: true },
  'change-email': { isLiftable: false },
  'change-factor': { isLiftable: true },
  'add-passkey': { isLiftable: true },
  'remove-passkey': { isLiftable: true },
  'link-account': { isLiftable: true },
  operator: { isLiftable: false },
  panic: { isLiftable: false },
} as const

export type HoldReason = keyof typeof holds

type Limit = {
  points: number
  seconds: number
  /** What shares the points. Answers show the limits of the caller alone: those by `ip`, `user` and `service`. */
  counts: 'ip' | 'user' | 'service' | 'account' | 'device' | 'email' | 'target' | 'key'
}

/** The part after the colon names the key that is counted. */
export const limits = {
  /** Every request under /auth and /trpc except session reads and the calls of services, in addition to the limits below. */
  'request:ip': { points: 600, seconds: minute, counts: 'ip' },
  /** Secrets of services that this process has not accepted yet. */
  'service:ip': { points: 600, seconds: minute, counts: 'ip' },
  'api-key:key': { points: 1_200, seconds: minute, counts: 'key' },
  'change-api-keys:user': { points: 60, seconds: minute, counts: 'user' },
  'create-confirmation:user': { points: 30, seconds: minute, counts: 'user' },
  'report-api-key:ip': { points: 30, seconds: minute, counts: 'ip' },
  'service-call:service': { points: 60_000, seconds: minute, counts: 'service' },
  'sign-in:ip': { points: 30, seconds: minute, counts: 'ip' },
  'sign-in:account': { points: 10, seconds: 10 * minute, counts: 'account' },
  /** How often `sign-in:account` may run out before it blocks for the rest of the hour or day. */
  'sign-in:account-hour': { points: 2, seconds: hour, counts: 'account' },
  'sign-in:account-day': { points: 4, seconds: day, counts: 'account' },
  'sign-in:device': { points: 5, seconds: 10 * minute, counts: 'device' },
  'sign-up:ip': { points: 10, seconds: minute, counts: 'ip' },
  'social:ip': { points: 30, seconds: minute, counts: 'ip' },
  'social-callback:ip': { points: 60, seconds: minute, counts: 'ip' },
  'verify-email:ip': { points: 30, seconds: minute, counts: 'ip' },
  'send-mail:ip': { points: 10, seconds: minute, counts: 'ip' },
  'send-mail:address': { points: 5, seconds: hour, counts: 'email' },
  /** Separate, so that a flood of sign-ups cannot block a reset. */
  'send-reset:address': { points: 5, seconds: hour, counts: 'email' },
  'two-factor:ip': { points: 30, seconds: minute, counts: 'ip' },
  'passkey:ip': { points: 60, seconds: minute, counts: 'ip' },
  'reset-password:ip': { points: 20, seconds: minute, counts: 'ip' },
  'confirm-password:user': { points: 5, seconds: 15 * minute, counts: 'user' },
  'check-password:ip': { points: 60, seconds: minute, counts: 'ip' },
  'change-email:user': { points: 5, seconds: hour, counts: 'user' },
  /** Separate, so that a flood of sign-ups cannot block a change to this email. */
  'change-email:address': { points: 20, seconds: hour, counts: 'email' },
  'delete-link:user': { points: 5, seconds: hour, counts: 'user' },
  'reauthentication-link:user': { points: 5, seconds: hour, counts: 'user' },
  'export-data:user': { points: 5, seconds: 10 * minute, counts: 'user' },
  'export-activity:user': { points: 10, seconds: 10 * minute, counts: 'user' },
  'update-user:user': { points: 60, seconds: minute, counts: 'user' },
  'set-picture:user': { points: 20, seconds: hour, counts: 'user' },
  'change-organization:user': { points: 60, seconds: minute, counts: 'user' },
  /** By address: a thief in a session must not use up the calls of the owner. */
  'change-protection:ip': { points: 30, seconds: minute, counts: 'ip' },
  'change-allow-list:ip': { points: 30, seconds: minute, counts: 'ip' },
  'answer-confirmation:ip': { points: 60, seconds: minute, counts: 'ip' },
  'unlock:user': { points: 5, seconds: hour, counts: 'user' },
  'panic:ip': { points: 30, seconds: minute, counts: 'ip' },
  'check-slug:user': { points: 30, seconds: minute, counts: 'user' },
  'add-member:target': { points: 5, seconds: hour, counts: 'target' },
  'invite:user': { points: 30, seconds: hour, counts: 'user' },
  'invite:organization-address': { points: 5, seconds: hour, counts: 'email' },
  /** Higher, so that one organization cannot block the invitations of the others. */
  'invite:address': { points: 20, seconds: hour, counts: 'email' },
  'administration:user': { points: 300, seconds: 5 * minute, counts: 'user' },
  'smoke-tests:ip': { points: 20, seconds: minute, counts: 'ip' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits

/** `reset`: seconds until all `points` are available again. */
export type LimitState = { points: number; remaining: number; reset: number }
