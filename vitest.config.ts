import { defineConfig } from 'vitest/config'

const tests = 'packages/functions/src/tests'

/** What starts servers, changes its user or its time zone, or breaks its database's files: a process for each file. */
const apart = [
  `${tests}/process/**/*.test.ts`,
  `${tests}/database/**/*.test.ts`,
  `${tests}/sessions/session-channel.test.ts`,
  `${tests}/sessions/session-fast-path.test.ts`,
  `${tests}/test-badges/commit-badges.test.ts`,
]

/** What holds for every file of tests, whatever they run through. */
export const common = {
  // Processes, not threads: a test may change its user or its time zone, and an embedded database takes 200 MB.
  pool: 'forks',
  setupFiles: 'packages/testing/src/each-file.ts',
  maxWorkers: 2,
  testTimeout: 45_000,
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/vitest/results.json' }]],
    maxWorkers: 2,
    projects: [
      {
        // Files share a process, each has its database: loading the service and compiling the embedded engine anew cost more than the tests.
        test: {
          ...common,
          name: 'service',
          isolate: false,
          include: [`${tests}/**/*.test.ts`],
          exclude: [...apart, '**/node_modules/**'],
        },
      },
      // After the others: a process that is shared ends when a file of its own comes between.
      { test: { ...common, name: 'apart', include: apart, exclude: ['**/node_modules/**'], sequence: { groupOrder: 1 } } },
    ],
  },
})
