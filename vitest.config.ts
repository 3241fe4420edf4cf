import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/functions/src/tests/**/*.test.ts'],
    exclude: ['features/**', '**/node_modules/**'],
    globalSetup: ['packages/functions/src/test-support/global-setup.ts'],
    // Processes, not threads: a test may change its user or its time zone, and an embedded database takes 200 MB.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 45_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'reports/vitest/results.json' }]],
  },
})
