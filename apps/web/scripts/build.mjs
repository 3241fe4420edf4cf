// The pages, then the server around them: `turbo run build`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { dropSuperseded, stampBuild, stateOfSources, unstampBuild } from './build-stamp.mjs'
import { bundleServer } from './bundle-server.mjs'

// Before the build: what is changed while it runs may be in it or not.
const state = stateOfSources()
const since = Date.now()
unstampBuild()
const { status } = spawnSync('remix', ['vite:build'], { cwd: fileURLToPath(new URL('../', import.meta.url)), stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await bundleServer()
dropSuperseded(since)
stampBuild(state)
