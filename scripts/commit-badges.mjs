// Commits and pushes what the tools wrote into docs: badges and reports. Does nothing when there is nothing new.
import { execFileSync } from 'node:child_process'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const written = ['docs/specs', 'docs/reports']
const [branch] = process.argv.slice(2)
if (!branch) {
  console.error('Usage: npm run badges:commit -- <branch>')
  process.exit(2)
}
git('add', '--all', '--', ...written)
if (git('diff', '--cached', '--name-only') === '') {
  console.log('No badge and no report changed.')
  process.exit(0)
}
const author = ['-c', 'user.name=github-actions[bot]', '-c', 'user.email=41898282+github-actions[bot]@users.noreply.github.com']
// `docs` releases nothing and [skip ci] starts nothing: this commit must not lead to the next one.
git(...author, 'commit', '--quiet', '--message', 'docs(badges): the state of the tests [skip ci]')
for (let attempt = 1; ; attempt += 1) {
  try {
    git('push', '--quiet', 'origin', `HEAD:${branch}`)
    break
  } catch (error) {
    if (attempt === 3) throw error
    // Somebody pushed meanwhile: theirs first.
    git(...author, 'pull', '--quiet', '--rebase', 'origin', branch)
  }
}
console.log(git('show', '--stat', '--format=%s', 'HEAD'))
