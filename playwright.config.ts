import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clockIn } from '@floorpass/testing/service-clock'
import { defineConfig } from '@playwright/test'

const port = process.env.BROWSER_TEST_PORT ?? '3199'
const baseURL = `http://localhost:${port}`
// Without windows, a test takes two thirds of the time.
const chromium = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)
const clock = fileURLToPath(new URL('test-results/clock', import.meta.url))

export default defineConfig({
  testDir: 'features',
  globalSetup: ['./features/support/run-folder.ts', './features/support/sign-in-earlier.ts'],
  metadata: { clock },
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  workers: 2,
  fullyParallel: true,
  // They end a hang, and nothing else: on a busy machine a test takes twenty times as long.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json', { outputFile: 'reports/playwright/results.json' }]],
  use: {
    baseURL,
    // A click that waits until the whole test ends fails without a word of what it waited for.
    actionTimeout: 100_000,
    locale: 'en-US',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    // A trace doubles the time of every test, kept or not. For the one that fails: `playwright test <file> --trace on`.
    trace: 'off',
    browserName: 'chromium',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  webServer: {
    command:
      'node_modules/node/bin/node --disable-warning=ExperimentalWarning features/support/prepare-service.ts && ' +
      'exec node_modules/node/bin/node scripts/start.mjs',
    url: `${baseURL}/healthz`,
    timeout: 180_000,
    stderr: 'pipe',
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    // A separate service, independent of the shell and .env: local mode, an empty embedded database, mails in the outbox.
    env: {
      PORT: port,
      HOST: '127.0.0.1',
      BASE_URL: baseURL,
      DATA_DIR: 'test-results/service',
      DATABASE_URL: '',
      REDIS_URL: '',
      SMTP_URL: '',
      WEB_CONCURRENCY: '',
      CONFIRMATION_RULES: 'withdrawal<=100 EUR=otp,withdrawal<=5000 EUR=passkey,view=none',
      // All browsers share one address.
      RATE_LIMIT: 'off',
      ...clockIn(clock).environment,
    },
  },
})
