import { defineConfig } from 'vitest/config'
import { failureReporter } from './packages/testing/src/failure-reporter.ts'

const tests = 'packages/functions/src/tests'

/** Files that start servers. */
export const servers = [
  `${tests}/{process,recipes}/**/*.test.ts`,
  `${tests}/api-keys/{foreign-signers,revocation}.test.ts`,
  `${tests}/confirmations/verify-receipt.test.ts`,
  `${tests}/events/stream.test.ts`,
  `${tests}/server/follower.test.ts`,
  `${tests}/sessions/{session-channel,session-fast-path}.test.ts`,
  `${tests}/test-badges/commit-badges.test.ts`,
]

/** Files that change the user or the time zone, or break database files: one process each. */
const apart = [`${tests}/database/**/*.test.ts`]

/**
 * Files that run once, on the embedded database: SECOND_RUN, which .ci/run sets on PostgreSQL, leaves them out. Either no database decides
 * their outcome, or they send many requests one after another, and both databases take the same path (ADR 058). Files with several
 * requests at once, several connections, rights or lost servers run on both. A run on PostgreSQL without SECOND_RUN takes all.
 */
export const once = [
  `${tests}/{client,configuration,cors,docs,gateway,mailbox,smoke-tests,test-badges,trpc}/**`,
  `${tests}/access/{signing-keys,verify}.test.ts`,
  `${tests}/administration/{impersonation-routes,issue-16-imported-hash-cost}.test.ts`,
  `${tests}/api-keys/foreign-signers.test.ts`,
  `${tests}/audit/one-transaction.test.ts`,
  `${tests}/confirmations/verify-receipt.test.ts`,
  `${tests}/database/{backup-archive,embedded-connection,embedded-data-dir}.test.ts`,
  `${tests}/events/every-change.test.ts`,
  `${tests}/http/{buffer-body,cookies,hostile-headers,locale,public-url,site-files}.test.ts`,
  `${tests}/mail/{security-mails,templates}.test.ts`,
  `${tests}/organizations/permissions.test.ts`,
  `${tests}/operations/alerts.test.ts`,
  `${tests}/passkeys/second-verifier.test.ts`,
  `${tests}/process/{admin-socket,administration-mails,backup,brand,faults,fuzz,hostile-requests,issue-1*,organization-pages}.test.ts`,
  `${tests}/process/{packages-elsewhere,pages,public-url,reliability-interrupted,roll-out-containers}.test.ts`,
  `${tests}/process/{sign-in-locked-out,slow-requests,superseded-builds}.test.ts`,
  `${tests}/protection/every-mutating-route.test.ts`,
  `${tests}/recipes/{key-verifier,verifiers}.test.ts`,
  `${tests}/rest/{declared-limits,every-*,owner-boundary,policy-boundaries,published-documents,query-parameters,reference,reference-errors}.test.ts`,
  `${tests}/security/{errors,issue-16-chosen-cost,password-hasher,password-rules,redirect-target,secret-box,strange-values}.test.ts`,
  `${tests}/server/{follower-rules,frameworks}.test.ts`,
  `${tests}/sessions/{cookie-domain,issue-16-planted-cookie,name-session,session-places}.test.ts`,
  `${tests}/sign-in/{issue-16-thief-with-a-cookie,last-sign-in-method,sign-out,timing}.test.ts`,
  `${tests}/webhooks/{addresses,secrets}.test.ts`,
]
const leftOut = ['**/node_modules/**', ...(process.env.SECOND_RUN ? once : [])]

/** The name that .ci/run gives to its share of the tests: `npm run test:merge` makes one report of the shares. */
const share = process.env.TEST_SHARE
const partialReport: ['blob', { outputFile: string }][] = share
  ? [['blob', { outputFile: `reports/vitest/parts/${share}.json` }]]
  : []

/** Options of every test file. */
export const common = {
  // Processes, not threads: a test may change its user or its time zone, and an embedded database takes 200 MB.
  pool: 'forks',
  // The embedded database sets its timers by the clock that a test may have moved: after a step back they are years ahead.
  execArgv: ['--disable-warning=TimeoutOverflowWarning'] as string[],
  setupFiles: 'packages/testing/src/each-file.ts',
  maxWorkers: 3,
  // They end a hang, and nothing else: on a busy machine a test takes twenty times as long.
  testTimeout: 360_000,
  hookTimeout: 360_000,
} as const

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    reporters: [
      'default',
      failureReporter,
      ['json', { outputFile: `reports/vitest/${share ?? 'results'}.json` }],
      ...partialReport,
    ],
    maxWorkers: 3,
    projects: [
      {
        // Files share a process and have separate databases: loading the service and the embedded engine costs more than the tests.
        test: {
          ...common,
          name: 'service',
          isolate: false,
          include: [`${tests}/**/*.test.ts`],
          exclude: [...servers, ...apart, ...leftOut],
        },
      },
      // A file with a separate process ends the shared one, so each group comes after the one before it.
      { test: { ...common, name: 'servers', isolate: false, include: servers, exclude: leftOut, sequence: { groupOrder: 1 } } },
      { test: { ...common, name: 'apart', include: apart, exclude: leftOut, sequence: { groupOrder: 2 } } },
    ],
  },
})
