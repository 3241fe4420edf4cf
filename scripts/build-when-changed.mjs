import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')

export async function buildWhenChanged(command) {
  const slow = setTimeout(() => say('Building the app (only when its sources changed) …'), 1_000)
  const build = await run(join(binaries, 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
  })
  clearTimeout(slow)
  if (build.code === 0) return
  say(build.output.trimEnd())
  fail(
    'The app could not be built.',
    'The build stopped with the output above.',
    `Fix the errors, then run \`${command}\` again.`,
  )
}
