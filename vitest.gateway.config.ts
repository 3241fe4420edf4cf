import { defineConfig } from 'vitest/config'
import { failureReporter } from './packages/testing/src/failure-reporter.ts'
import suite, { common } from './vitest.config.ts'

const tests = 'packages/functions/src/tests'
const modules = ['cors', 'gateway', 'http', 'rest', 'sessions', 'sign-in'].map((module) => `${tests}/${module}/**/*.test.ts`)

/**
 * What speaks to a server process never meets a gateway; what measures time would measure the stand-in. What rows a call reads or writes,
 * and what a thief may do with a session, is decided after the gateway.
 */
const elsewhere = [
  `${tests}/rest/{declared-limits,every-*,owner-boundary,policy-boundaries,published-documents,reference,reference-errors}.test.ts`,
  `${tests}/sign-in/{issue-16-thief-with-a-cookie,password-guesses}.test.ts`,
  `${tests}/sessions/{get-session-paths,session-channel,session-fast-path}.test.ts`,
  `${tests}/sign-in/timing.test.ts`,
  `${tests}/sign-in/social-*.test.ts`,
  '**/node_modules/**',
]

/**
 * The suite as if behind API Gateway, with both payloads: the modules whose answers depend on the transport. Left out are the tests
 * of every row's refusals, which come after a payload has become a Request. Each row at its work is in rest/openapi; what a payload carries
 * (headers, cookies, queries, bodies, methods) is in gateway, http, cors and rest/unknown-paths.
 */
export default defineConfig({
  test: {
    globalSetup: suite.test?.globalSetup ?? [],
    maxWorkers: 2,
    reporters: ['default', failureReporter, ['json', { outputFile: 'reports/vitest/gateway.json' }]],
    projects: ['1.0', '2.0'].map((payload) => ({
      test: {
        ...common,
        name: `payload ${payload}`,
        isolate: false,
        env: { TEST_GATEWAY: payload },
        include: modules,
        exclude: elsewhere,
      },
    })),
  },
})
