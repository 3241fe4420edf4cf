// Runs a command line of the workspace: `node scripts/run-typescript.mjs <file> <arguments>`. JavaScript, so that an older Node gets a message.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isNodeNewEnough, minimum } from './node-runtime.mjs'
import { fail } from './run.mjs'

if (!isNodeNewEnough) {
  fail(
    `This tool needs ${minimum}, and this is Node ${process.versions.node}.`,
    'It runs TypeScript without a build.',
    'Start it with `npm run`, which uses the Node of the workspace, or install a current one from https://nodejs.org.',
  )
}
// The next command then compiles nothing.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const file = new URL(`../${process.argv[2]}`, import.meta.url)
// The tool expects its own path first, and then its arguments.
process.argv.splice(1, 2, fileURLToPath(file))
await import(file.href)
