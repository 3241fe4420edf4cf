import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')

/** Builds the app when its sources changed. A failure ends the process, with `again` as the command to repeat. */
export async function buildWhenChanged(again) {
  const slow = setTimeout(() => say('Building the app (only when its sources changed) …'), 1_000)
  const build = await run(join(binaries, 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
  })
  clearTimeout(slow)
  if (build.code === 0) return
  say(build.output.trimEnd())
  fail('The app could not be built.', 'The build stopped with the output above.', `Fix what it names and run \`${again}\` again.`)
}
