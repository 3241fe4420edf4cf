import { defineConfig } from 'vitest/config'
import suite from './vitest.config.ts'

const tests = 'packages/functions/src/tests'

/**
 * The suite as if behind API Gateway, once for each of its payloads: the modules whose answers depend on the transport. What speaks to a
 * server process never meets a gateway; what measures time would measure the stand-in.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'reports/vitest/gateway.json' }]],
    projects: ['1.0', '2.0'].map((payload) => ({
      test: {
        ...suite.test,
        name: `payload ${payload}`,
        env: { TEST_GATEWAY: payload },
        include: ['cors', 'gateway', 'http', 'rest', 'sessions', 'sign-in'].map((module) => `${tests}/${module}/**/*.test.ts`),
        exclude: [`${tests}/sign-in/timing.test.ts`, `${tests}/sign-in/social-*.test.ts`, '**/node_modules/**'],
      },
    })),
  },
})
