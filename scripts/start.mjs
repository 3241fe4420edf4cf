import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const workspaceNode = join(root, 'node_modules', 'node', 'bin', 'node')
const binaries = join(root, 'node_modules', '.bin')

if (!process.execve || !existsSync(workspaceNode)) {
  fail(
    'The server was not started.',
    "This script runs on the workspace's own Node.",
    'Use `npm start`, which installs it first.',
  )
}
process.chdir(root)

const notice = setTimeout(() => say('Building the app (only when its sources changed) …'), 1000)
const build = await run(join(binaries, 'turbo'), ['run', 'build'], {
  env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
})
clearTimeout(notice)
if (build.code !== 0) {
  say(build.output.trimEnd())
  fail('The app could not be built.', 'The build stopped with the output above.', 'Mend what it names and run `npm start` again.')
}

// The server takes this process's place: it gets every signal itself, its exit code is ours, and no parent is left behind.
process.execve(workspaceNode, [workspaceNode, '--disable-warning=ExperimentalWarning', 'apps/web/server.ts'], {
  ...process.env,
  NODE_ENV: 'production',
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
})
