// The pages, for the server and the browser: `turbo run build`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { dropSuperseded } from '../../../scripts/drop-superseded.mjs'

const app = fileURLToPath(new URL('../', import.meta.url))
const since = Date.now()
const { status } = spawnSync('remix', ['vite:build'], { cwd: app, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
dropSuperseded(`${app}build`, since)
