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
 * Files whose outcome does not depend on the database of the run. SECOND_RUN leaves them out: .ci/run sets it on PostgreSQL, after the run
 * on the embedded database. The run behind API Gateway sends the requests of `every-*` to PostgreSQL.
 */
const once = [
  `${tests}/{client,configuration,docs,smoke-tests,test-badges}/**`,
  `${tests}/recipes/{key-verifier,verifiers}.test.ts`,
  `${tests}/confirmations/verify-receipt.test.ts`,
  `${tests}/mail/templates.test.ts`,
  `${tests}/process/{hostile-requests,issue-18-redirect-targets}.test.ts`,
  `${tests}/rest/{openapi,query-parameters,reference,reference-errors}.test.ts`,
  `${tests}/server/follower-rules.test.ts`,
  `${tests}/security/{issue-16-chosen-cost,password-hasher,password-rules}.test.ts`,
  `${tests}/database/{backup-archive,embedded-data-dir}.test.ts`,
  `${tests}/process/{admin-socket,backup,faults,packages-elsewhere,roll-out-containers,slow-requests,superseded-builds}.test.ts`,
  `${tests}/rest/every-*.test.ts`,
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
