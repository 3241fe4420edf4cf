import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged } from './build-when-changed.mjs'
import { fail } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const workspaceNode = join(root, 'node_modules', 'node', 'bin', 'node')

if (!process.execve || !existsSync(workspaceNode)) {
  fail('The server was not started.', "This script needs the workspace's Node.", 'Use `npm start`, which installs it first.')
}
process.chdir(root)

await buildWhenChanged('npm start')

// Replace this process, so that the server gets every signal and returns its own exit code.
process.execve('/bin/sh', ['sh', 'deploy/start.sh'], process.env)
