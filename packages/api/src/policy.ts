const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Every number the specification leaves open, in seconds unless the name says otherwise. See docs/gaps.md. */
export const policy = {
  session: {
    lifetime: 7 * day,
    /** A session is extended at most this often. */
    updateAge: 1 * day,
    /** No session outlives this, however often it is extended. */
    absoluteLifetime: 30 * day,
    /** "Keep me signed in" left off: the cookie ends with the browser, the row after this. */
    browserLifetime: 1 * day,
    /** Sensitive changes need a sign-in at most this old. */
    freshAge: 1 * day,
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
  /** More than this many devices signed in at once: the oldest session ends. */
  sessionsPerUser: 50,
  /** How long a sign-in may wait for a free hashing thread, counted in sign-ins ahead of it. */
  hashQueueLength: 256,
  mail: {
    /** A mail in the hands of a worker is left alone for this long: longer than the slowest send. */
    lease: 2 * minute,
    firstRetry: 10,
    longestRetry: 1 * hour,
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
  'sign-in:ip': { points: 30, seconds: minute },
  'sign-in:account': { points: 10, seconds: 10 * minute },
  'sign-up:ip': { points: 10, seconds: minute },
  'social:ip': { points: 30, seconds: minute },
  'verify-email:ip': { points: 30, seconds: minute },
  'send-mail:ip': { points: 10, seconds: minute },
  'send-mail:address': { points: 5, seconds: hour },
  /** Apart from the others: who floods an address with sign-ups must not keep its owner from a reset. */
  'send-reset:address': { points: 5, seconds: hour },
  'reset-password:ip': { points: 20, seconds: minute },
  'confirm-password:user': { points: 5, seconds: 15 * minute },
  'change-email:user': { points: 5, seconds: hour },
  'delete-link:user': { points: 5, seconds: hour },
  'export-data:user': { points: 5, seconds: 10 * minute },
  'update-user:user': { points: 60, seconds: minute },
  'smoke-tests:ip': { points: 20, seconds: minute },
} as const

export type LimitName = keyof typeof limits
