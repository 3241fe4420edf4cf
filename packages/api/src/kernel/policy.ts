const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The limits that the specification leaves open (docs/gaps.md). Durations are in seconds. */
export const policy = {
  /** Bytes of a request body. */
  largestBody: 64 * 1024,
  session: {
    lifetime: 7 * day,
    /** Shortest interval between two extensions. */
    updateAge: 1 * day,
    absoluteLifetime: 30 * day,
    /** Lifetime of the row when "Keep me signed in" is off. */
    browserLifetime: 1 * day,
    reauthenticationAge: 15 * minute,
    /** Allowed clock difference between servers. */
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
    /** The account must have had its email for this long before it receives a link. */
    addressAge: 7 * day,
  },
  organizations: {
    /** Memberships of one user, in any role. */
    perUser: 5,
    members: 100,
    pendingInvitations: 100,
    invitationLifetime: 48 * hour,
    /** Bytes of JSON. */
    metadata: 4096,
    listedInvitations: 200,
  },
  /** Thresholds of the security score. */
  security: {
    backupCodesLow: 3,
    idleSession: 3 * day,
    passwordAge: 365 * day,
  },
  twoFactor: {
    /** The time step X of RFC 6238. */
    codePeriod: 30,
    challengeLifetime: 10 * minute,
    attemptsPerChallenge: 5,
    /** Each run of this many wrong codes locks the factor of the account. */
    failuresPerLock: 10,
    firstLock: 15 * minute,
    /** Locks double in length up to this. */
    longestLock: 1 * day,
    /** After this many wrong codes in a row, only a backup code is accepted. */
    failuresEver: 100,
    backupCodes: 10,
    trustedDeviceLifetime: 30 * day,
    trustedDevicesPerUser: 20,
  },
  /** Wrong passwords in a row. Together at most the 100 of NIST SP 800-63B-4 3.2.2 (ADR 019). */
  passwordGuesses: {
    /** From known devices and sessions; more count as unknown. */
    known: 20,
    /** After this, the password works only on known devices until the owner resets it. */
    unknown: 80,
    accountsPerDevice: 5,
    deviceLifetime: 180 * day,
  },
  /** Per process, about 2 KB each. */
  sessionsInMemory: 50_000,
  sessionsPerUser: 50,
  /** Invalid session cookies, per process (ADR 019). */
  sessionMisses: {
    addressPerMinute: 600,
    /** Per known account, after its address has no misses left. */
    devicePerMinute: 30,
    /** Database reads for an address that has no misses left. */
    readsPerSecond: 20,
  },
  /** Keys that each limit keeps in memory, about 1 KB each. */
  rateLimitRecords: 50_000,
  hashQueueLength: 256,
  /** Password checks that may wait: about one second of work. */
  passwordQueueLength: 256,
  mail: {
    /** A worker holds an email this long: longer than the slowest send. */
    lease: 2 * minute,
    firstRetry: 10,
    longestRetry: 1 * hour,
    /** Longest pause between attempts while the mail server is down. */
    longestPause: 1 * minute,
    /** Emails that are older are dropped. */
    longestTry: 3 * day,
    /** Concurrent sends per process. */
    atOnce: 5,
  },
  sweep: {
    every: 1 * hour,
    /** The first sweep runs within this time after the start. */
    firstWithin: 1 * minute,
    batchSize: 500,
    keepLinks: 7 * day,
    keepAuditEvents: 400 * day,
    keepRefusedMails: 30 * day,
  },
  reseal: {
    /** After the roll-out: the previous version cannot open what this version seals. */
    after: 1 * hour,
    batchSize: 500,
  },
  smokeTests: {
    /** One check. */
    check: 15,
    /** The whole suite; the pipeline stops waiting after 25. */
    suite: 20,
    /** A slower response fails the check. */
    slowestAnswer: 3,
    /** Exchanges refuse orders whose timestamp differs more from their clock. */
    clockTolerance: 5,
    longestMailWait: 1 * hour,
  },
} as const

/** `points` attempts in `seconds`. The part after the colon names the key. */
export const limits = {
  /** Every request under /auth and /trpc except session reads, in addition to the limits below. */
  'request:ip': { points: 600, seconds: minute },
  'sign-in:ip': { points: 30, seconds: minute },
  /** From unknown devices. */
  'sign-in:account': { points: 10, seconds: 10 * minute },
  /** How often `sign-in:account` may run out before it blocks for the rest of the hour or day. */
  'sign-in:account-hour': { points: 2, seconds: hour },
  'sign-in:account-day': { points: 4, seconds: day },
  /** From a known device. */
  'sign-in:device': { points: 5, seconds: 10 * minute },
  'sign-up:ip': { points: 10, seconds: minute },
  'social:ip': { points: 30, seconds: minute },
  'social-callback:ip': { points: 60, seconds: minute },
  'verify-email:ip': { points: 30, seconds: minute },
  'send-mail:ip': { points: 10, seconds: minute },
  'send-mail:address': { points: 5, seconds: hour },
  /** Separate, so that a flood of sign-ups cannot keep the owner from a reset. */
  'send-reset:address': { points: 5, seconds: hour },
  'two-factor:ip': { points: 30, seconds: minute },
  'reset-password:ip': { points: 20, seconds: minute },
  'confirm-password:user': { points: 5, seconds: 15 * minute },
  'check-password:ip': { points: 60, seconds: minute },
  'change-email:user': { points: 5, seconds: hour },
  /** Separate, so that a flood of sign-ups cannot keep an account from changing to this email. */
  'change-email:address': { points: 20, seconds: hour },
  'delete-link:user': { points: 5, seconds: hour },
  'reauthentication-link:user': { points: 5, seconds: hour },
  'export-data:user': { points: 5, seconds: 10 * minute },
  'update-user:user': { points: 60, seconds: minute },
  'change-organization:user': { points: 60, seconds: minute },
  'check-slug:user': { points: 30, seconds: minute },
  /** An attacker with many accounts could add a user repeatedly, and each time sends an email. */
  'add-member:target': { points: 5, seconds: hour },
  'invite:user': { points: 30, seconds: hour },
  /** Separate, so that a flood of invitations cannot keep the owner from a sign-up or a reset. */
  'invite:organization-address': { points: 5, seconds: hour },
  /** Across organizations: higher, so that one cannot block the invitations of the others. */
  'invite:address': { points: 20, seconds: hour },
  'smoke-tests:ip': { points: 20, seconds: minute },
} as const

export type LimitName = keyof typeof limits

/** `reset`: seconds until all `points` are available again. */
export type LimitState = { points: number; remaining: number; reset: number }
