// Tags and publishes the next version, and outputs its commit for the pipeline. Passes arguments to semantic-release.
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tool = join(root, '.ci', 'release')
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' })
try {
  run('npx', ['--yes', packageManager, '--dir', tool, 'install', '--frozen-lockfile', '--ignore-scripts'], tool)
  run(join(tool, 'node_modules', '.bin', 'semantic-release'), process.argv.slice(2), root)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `commit=${commit}`)
} catch (error) {
  if (typeof error.status !== 'number') console.error(error.message)
  process.exit(error.status ?? 1)
}
