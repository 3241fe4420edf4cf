import { defineConfig } from 'vitest/config'

const tests = 'packages/functions/src/tests'

/** Files that start servers, change the user or time zone, or break database files: one process each. */
const apart = [
  `${tests}/recipes/**/*.test.ts`,
  `${tests}/process/**/*.test.ts`,
  `${tests}/database/**/*.test.ts`,
  `${tests}/server/follower.test.ts`,
  `${tests}/sessions/session-channel.test.ts`,
  `${tests}/sessions/session-fast-path.test.ts`,
  `${tests}/test-badges/commit-badges.test.ts`,
]

/**
 * Files that run once, on the embedded database: SECOND_RUN, which .ci/run sets on PostgreSQL, leaves them out. Either no database decides
 * their outcome, or they send many requests one after another, and both databases take the same path (ADR 058). Files with several
 * requests at once, several connections, rights or lost servers run on both. A run on PostgreSQL without SECOND_RUN takes all.
 */
export const once = [
  `${tests}/{client,configuration,docs,mailbox,smoke-tests,test-badges,trpc}/**`,
  `${tests}/access/{signing-keys,verify}.test.ts`,
  `${tests}/administration/impersonation-routes.test.ts`,
  `${tests}/audit/one-transaction.test.ts`,
  `${tests}/confirmations/verify-receipt.test.ts`,
  `${tests}/database/{backup-archive,embedded-connection,embedded-data-dir}.test.ts`,
  `${tests}/events/every-change.test.ts`,
  `${tests}/mail/{security-mails,templates}.test.ts`,
  `${tests}/organizations/permissions.test.ts`,
  `${tests}/process/{admin-socket,backup,faults,fuzz,hostile-requests,issue-18-redirect-targets}.test.ts`,
  `${tests}/process/{packages-elsewhere,reliability-interrupted,roll-out-containers,slow-requests,superseded-builds}.test.ts`,
  `${tests}/protection/every-mutating-route.test.ts`,
  `${tests}/recipes/{key-verifier,verifiers}.test.ts`,
  `${tests}/rest/{declared-limits,every-*,owner-boundary,policy-boundaries,query-parameters,reference,reference-errors}.test.ts`,
  `${tests}/security/{issue-16-chosen-cost,password-hasher,password-rules,strange-values}.test.ts`,
  `${tests}/server/follower-rules.test.ts`,
  `${tests}/sign-in/{issue-16-thief-with-a-cookie,timing}.test.ts`,
]
const leftOut = ['**/node_modules/**', ...(process.env.SECOND_RUN ? once : [])]

/** Options of every test file. */
export const common = {
  // Processes, not threads: a test may change its user or its time zone, and an embedded database takes 200 MB.
  pool: 'forks',
  // The embedded database sets its timers by the clock that a test may have moved: after a step back they are years ahead.
  execArgv: ['--disable-warning=TimeoutOverflowWarning'] as string[],
  setupFiles: 'packages/testing/src/each-file.ts',
  maxWorkers: 3,
  testTimeout: 45_000,
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/vitest/results.json' }]],
    maxWorkers: 3,
    projects: [
      {
        // Files share a process and have separate databases: loading the service and the embedded engine costs more than the tests.
        test: {
          ...common,
          name: 'service',
          isolate: false,
          include: [`${tests}/**/*.test.ts`],
          exclude: [...apart, ...leftOut],
        },
      },
      // After the others: a file with a separate process ends the shared one.
      { test: { ...common, name: 'apart', include: apart, exclude: leftOut, sequence: { groupOrder: 1 } } },
    ],
  },
})
