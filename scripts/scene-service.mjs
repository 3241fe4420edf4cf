import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@floorpass/reliability'

const root = fileURLToPath(new URL('..', import.meta.url))

export const chromiumPath = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium'].find(existsSync)

/** The email address of a person of the scene. */
export const address = (handle) => (handle === 'guarded' ? 'ada@guarded.example' : `${handle}@meridian.example`)

/** Prepares a service on a free port with an empty data folder, which `end` removes. No providers; emails go to the outbox. */
export async function prepareService() {
  const dataDir = await mkdtemp(join(tmpdir(), 'floorpass-scene-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const environment = {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: url,
    DATA_DIR: dataDir,
    ...Object.fromEntries(['DATABASE_URL', 'REDIS_URL', 'SMTP_URL', 'WEB_CONCURRENCY', 'APP_NAME'].map((name) => [name, ''])),
    CONFIRMATION_RULES: 'withdrawal<=100 EUR=otp,withdrawal<=5000 EUR=passkey,view=none',
    RATE_LIMIT: 'off',
  }
  return { url, environment, end: () => rm(dataDir, { recursive: true, force: true }) }
}

/** Runs the service with its clock set to `now` while `use` runs. Passes `use` the seconds by which that clock is behind. */
export async function withService(now, environment, use) {
  const lag = Math.floor((Date.now() - now) / 30_000) * 30
  const clock = `const Real = Date
    globalThis.Date = class Date extends Real {
      constructor(...args) { args.length ? super(...args) : super(Real.now() - ${lag * 1000}) }
      static now() { return Real.now() - ${lag * 1000} }
    }`
  const service = spawn(join(root, 'node_modules/node/bin/node'), ['scripts/start.mjs'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...environment,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}`,
    },
  })
  const exited = once(service, 'exit')
  try {
    const deadline = Date.now() + 180_000
    while (!(await answers(`${environment.BASE_URL}/healthz`))) {
      if (service.exitCode !== null || Date.now() > deadline) throw new Error('the service did not start')
    }
    return await use(lag)
  } finally {
    service.kill('SIGTERM')
    await exited
  }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return false
  }
}
