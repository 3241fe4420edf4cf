import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt, stampBuild, stateOfSources } from '../apps/web/scripts/build-stamp.mjs'
import { fail, run, say } from './run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')

/** Builds the app when it is not that of the present sources. A failure ends the process, with `again` as the command to repeat. */
export async function buildWhenChanged(again) {
  const state = stateOfSources()
  if (isBuilt(state)) return
  say('Building the app (only when its sources changed) …')
  const build = await run(join(binaries, 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
  })
  if (build.code !== 0) {
    say(build.output.trimEnd())
    fail(
      'The app could not be built.',
      'The build stopped with the output above.',
      `Mend what it names and run \`${again}\` again.`,
    )
  }
  // What comes from Turborepo's cache bears the stamp of the sources that it was once made of.
  stampBuild(state)
}
