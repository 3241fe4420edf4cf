import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const [branch] = process.argv.slice(2)
if (!branch) {
  console.error('Usage: npm run badges:commit -- <branch>')
  process.exit(2)
}
// The full name, so that git cannot mistake a branch for a tag or an option.
const ref = `refs/heads/${branch}`
const author = { name: 'github-actions[bot]', email: '41898282+github-actions[bot]@users.noreply.github.com' }
const settings = { 'user.name': author.name, 'user.email': author.email, 'core.hooksPath': '/dev/null' }
const run = (args, config) =>
  execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // Pass secrets in the environment: other users of the machine can see arguments.
    env: {
      ...process.env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_COUNT: String(Object.keys(config).length),
      ...Object.fromEntries(
        Object.entries(config).flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
    },
  }).trim()
const git = (...args) => run(args, settings)

/** Runs git with GITHUB_TOKEN, which goes to the host of origin only. */
function gitWithToken(...args) {
  const { GITHUB_TOKEN: token } = process.env
  const origin = URL.parse(git('remote', 'get-url', 'origin'))
  if (!token || !/^https?:$/.test(origin?.protocol)) return git(...args)
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64')
  return run(args, { ...settings, [`http.${origin.origin}/.extraheader`]: `authorization: basic ${credentials}` })
}

const folders = ['docs/specs', 'docs/reports'].filter((folder) => existsSync(folder))
if (folders.length > 0) git('add', '--all', '--', ...folders)
if (git('diff', '--cached', '--name-only') === '') {
  console.log('No badge and no report changed.')
  process.exit(0)
}
// A `docs` commit releases nothing. [skip ci] prevents a new run, on main only: a squash or rebase could carry it to main.
const message = `docs(badges): the state of the tests${branch === 'main' ? ' [skip ci]' : ''}`
git('commit', '--quiet', '--message', message)
for (let attempt = 1; ; attempt += 1) {
  try {
    gitWithToken('push', '--quiet', 'origin', `HEAD:${ref}`)
    break
  } catch (error) {
    if (attempt === 3) throw error
    gitWithToken('pull', '--quiet', '--rebase', 'origin', ref)
  }
}
console.log(git('show', '--stat', '--format=%s', 'HEAD'))
