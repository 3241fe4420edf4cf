const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The numbers of the rules that the specification leaves open, in seconds unless the name says otherwise. See docs/gaps.md. */
export const policy = {
  /** Bytes of a request's body. */
  largestBody: 64 * 1024,
  session: {
    lifetime: 7 * day,
    /** A session is extended at most this often. */
    updateAge: 1 * day,
    /** No session outlives this, however often it is extended. */
    absoluteLifetime: 30 * day,
    /** "Keep me signed in" left off: the cookie ends with the browser, the row after this. */
    browserLifetime: 1 * day,
    /** A sensitive act needs a proof of who the user is at most this old: a password, a code or a provider's. */
    reauthenticationAge: 15 * minute,
    /** How far the clocks of two servers may differ. */
    clockTolerance: 1 * minute,
    /** "Last seen" is written at most this often. */
    lastSeenPrecision: 10 * minute,
  },
  verifyEmail: { lifetime: 24 * hour },
  resetPassword: { lifetime: 1 * hour },
  changeEmail: { lifetime: 1 * hour },
  /** How long the former address can take an account back. */
  undoEmailChange: { lifetime: 7 * day },
  /** How long a person may take at a social provider. */
  socialFlow: { lifetime: 10 * minute },
  deleteAccount: { lifetime: 1 * hour },
  reauthentication: {
    /** Of the mailed link. */
    lifetime: 15 * minute,
    /** A link is mailed to an address only when it has been the account's for this long. */
    addressAge: 7 * day,
  },
  organizations: {
    /** Memberships of one user, in whatever role. */
    perUser: 5,
    members: 100,
    pendingInvitations: 100,
    invitationLifetime: 48 * hour,
    /** Bytes of JSON. */
    metadata: 4096,
    /** How many invitations a list shows, the newest first. */
    listedInvitations: 200,
  },
  /** What the security score takes for enough. */
  security: {
    /** Fewer backup codes than this are few. */
    backupCodesLow: 3,
    /** A session elsewhere that was not seen for this long is worth a look. */
    idleSession: 3 * day,
    passwordAge: 365 * day,
  },
  twoFactor: {
    /** What one code of an authenticator lasts; RFC 6238 calls it X. */
    codePeriod: 30,
    /** Between the password and the code. */
    challengeLifetime: 10 * minute,
    /** Wrong codes that end one sign-in. */
    attemptsPerChallenge: 5,
    /** Wrong codes in a row, over every sign-in and session, that lock an account's factor; so does every further such number. */
    failuresPerLock: 10,
    firstLock: 15 * minute,
    /** Each lock is twice as long as the one before, up to this. */
    longestLock: 1 * day,
    /** Wrong codes in a row after which an authenticator's are not looked at: a backup code, or the password in a session, goes on. */
    failuresEver: 100,
    backupCodes: 10,
    trustedDeviceLifetime: 30 * day,
    /** More devices than this without a code: the oldest is asked for one again. */
    trustedDevicesPerUser: 20,
  },
  /** ADR 019: together no more than the hundred that NIST SP 800-63B-4 3.2.2 allows. */
  passwordGuesses: {
    /** Wrong passwords in a row, ever, from known devices and sessions; further ones count as everybody's. */
    known: 20,
    /** The same from everywhere else; after that the password opens nothing there until its owner has chosen a new one by mail. */
    unknown: 80,
    /** A device is known to the accounts that signed in on it last. */
    accountsPerDevice: 5,
    deviceLifetime: 180 * day,
  },
  /** How many sessions a process keeps in memory, the most recently used: about 2 KB each. */
  sessionsInMemory: 50_000,
  /** More than this many devices signed in at once: the oldest session ends. */
  sessionsPerUser: 50,
  /** Cookies that open no session, in each process. See ADR 019. */
  sessionMisses: {
    /** For one address. */
    addressPerMinute: 600,
    /** For the devices of one account, once those of their address are used up. */
    devicePerMinute: 30,
    /** Reads of the database for an address that has used up its misses. */
    readsPerSecond: 20,
  },
  /** How many callers, accounts and addresses each limit remembers in a process's memory: about 1 KB each. */
  rateLimitRecords: 50_000,
  /** How long a sign-in may wait for a free hashing thread, counted in sign-ins ahead of it. */
  hashQueueLength: 256,
  /** How many new passwords may wait to be judged, one for each turn of the event loop: a second at most. */
  passwordQueueLength: 256,
  mail: {
    /** A mail in the hands of a worker is left alone for this long: longer than the slowest send. */
    lease: 2 * minute,
    firstRetry: 10,
    longestRetry: 1 * hour,
    /** While the mail server takes no mail at all, it is asked at least this often. */
    longestPause: 1 * minute,
    /** A mail that the server did not take in this time is given up. */
    longestTry: 3 * day,
    /** Mails on their way at once, for each process. */
    atOnce: 5,
  },
  /** How long rows stay after they lost their use. */
  sweep: {
    every: 1 * hour,
    /** After the start. */
    firstWithin: 1 * minute,
    batchSize: 500,
    keepLinks: 7 * day,
    keepAuditEvents: 400 * day,
    keepRefusedMails: 30 * day,
  },
  reseal: {
    /** After the start: a roll-out is over by then. The version before cannot open what this one seals. */
    after: 1 * hour,
    batchSize: 500,
  },
  smokeTests: {
    /** Everything that is asked of one exchange, or of one part of the service. */
    check: 15,
    /** A whole suite; the pipeline gives up after 25. */
    suite: 20,
    /** An answer later than this is a failure even when it is right. */
    slowestAnswer: 3,
    /** Exchanges refuse orders that are signed further from their own time. */
    clockTolerance: 5,
    /** A mail that has waited this long has a cause. */
    longestMailWait: 1 * hour,
  },
} as const

/** What may be tried how often: `points` tries in `seconds`. The part after the colon says what is counted. */
export const limits = {
  /** Whatever is asked for under /auth and /trpc, but sessions: beside the limits below, and well above what a person's browser needs. */
  'request:ip': { points: 600, seconds: minute },
  'sign-in:ip': { points: 30, seconds: minute },
  /** From devices that never signed in to the account. */
  'sign-in:account': { points: 10, seconds: 10 * minute },
  /** How often the one above may be used up before it lasts for the rest of the hour, of the day. */
  'sign-in:account-hour': { points: 2, seconds: hour },
  'sign-in:account-day': { points: 4, seconds: day },
  /** From one that has: nobody else can use these up. */
  'sign-in:device': { points: 5, seconds: 10 * minute },
  'sign-up:ip': { points: 10, seconds: minute },
  'social:ip': { points: 30, seconds: minute },
  'social-callback:ip': { points: 60, seconds: minute },
  'verify-email:ip': { points: 30, seconds: minute },
  'send-mail:ip': { points: 10, seconds: minute },
  'send-mail:address': { points: 5, seconds: hour },
  /** Apart from the others: who floods an address with sign-ups must not keep its owner from a reset. */
  'send-reset:address': { points: 5, seconds: hour },
  'two-factor:ip': { points: 30, seconds: minute },
  'reset-password:ip': { points: 20, seconds: minute },
  'confirm-password:user': { points: 5, seconds: 15 * minute },
  /** A page asks while a password is typed. */
  'check-password:ip': { points: 60, seconds: minute },
  'change-email:user': { points: 5, seconds: hour },
  /** Apart from `send-mail:address`: repeated sign-ups with an address must not keep an account from moving to it. */
  'change-email:address': { points: 20, seconds: hour },
  'delete-link:user': { points: 5, seconds: hour },
  'reauthentication-link:user': { points: 5, seconds: hour },
  'export-data:user': { points: 5, seconds: 10 * minute },
  'update-user:user': { points: 60, seconds: minute },
  'change-organization:user': { points: 60, seconds: minute },
  'check-slug:user': { points: 30, seconds: minute },
  /** Whoever adds and removes somebody again and again mails them each time, from as many accounts as they like. */
  'add-member:target': { points: 5, seconds: hour },
  'invite:user': { points: 30, seconds: hour },
  /** Apart from the other mails to an address: who floods it with invitations must not keep its owner from a sign-up or a reset. */
  'invite:organization-address': { points: 5, seconds: hour },
  /** From all organizations: higher, so that one of them cannot keep the others from inviting somebody. */
  'invite:address': { points: 20, seconds: hour },
  'smoke-tests:ip': { points: 20, seconds: minute },
} as const

export type LimitName = keyof typeof limits

/** What is left of a limit: `remaining` of `points` tries, and the seconds until all are back. */
export type LimitState = { points: number; remaining: number; reset: number }
