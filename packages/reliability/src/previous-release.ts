import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onRunEnd } from './run-end.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const migrations = 'packages/db/prisma/migrations'
const execute = promisify(execFile)

const git = async (...args: string[]): Promise<string> => (await execute('git', args, { cwd: root })).stdout.trim()
const findCommit = (name: string): Promise<string | null> =>
  git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => null)

export type PreviousRelease = { commit: string; name: string }

/** Finds the newest tag `v*` below this commit. Without tags, the newest commit that lacks a migration and has the others as they are now.
 * Null in a shallow clone. */
export async function findPreviousRelease(): Promise<PreviousRelease | null> {
  const tag = await git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^').catch(() => null)
  if (tag !== null) return { commit: await git('rev-parse', `${tag}^{commit}`), name: tag }
  const adding = (await git('log', '--format=%H', '--diff-filter=A', '--', migrations)).split('\n')
  for (const added of adding) {
    const commit = await findCommit(`${added}^`)
    if (commit === null) return null
    const edited = await git('diff', '--name-only', '--diff-filter=MDR', commit, 'HEAD', '--', migrations)
    if (edited === '') return { commit, name: `${commit.slice(0, 7)}, the commit before ${added.slice(0, 7)}` }
  }
  return null
}

/** Checks a commit out into `folder` and builds it there, with the packages that are installed here if both have the same lock file. */
export async function buildRelease({ commit }: PreviousRelease, folder: string): Promise<{ packages: string; remove(): void }> {
  const building = new AbortController()
  const { signal } = building
  const remove = onRunEnd(() => {
    building.abort()
    execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root })
  })
  await git('worktree', 'add', '--detach', '--force', folder, commit)
  try {
    const isSame = await haveSameContent(join(root, 'pnpm-lock.yaml'), join(folder, 'pnpm-lock.yaml'))
    if (isSame) await sharePackages(folder)
    else await execute(process.execPath, ['scripts/bootstrap.mjs', '--service'], { cwd: folder, maxBuffer: 1e8, signal })
    await execute(process.execPath, ['scripts/generate.mjs'], { cwd: join(folder, 'packages/db'), signal })
    const binaries = join(folder, 'node_modules/.bin')
    await execute(join(binaries, 'turbo'), ['run', 'build', '--filter=@floorpass/service...', '--output-logs=errors-only'], {
      cwd: folder,
      env: {
        ...process.env,
        NODE_ENV: '',
        PATH: `${binaries}:${dirname(process.execPath)}:${process.env.PATH}`,
        TURBO_TELEMETRY_DISABLED: '1',
      },
      maxBuffer: 1e8,
      signal,
    })
    return { packages: isSame ? 'the installed packages' : 'the packages of its lock file', remove }
  } catch (error) {
    remove()
    throw error
  }
}

const haveSameContent = async (one: string, other: string) => (await readFile(one, 'utf8')) === (await readFile(other, 'utf8'))

/** The links between the packages of the workspace are relative, so a copy of them leads to the packages of the checkout. */
async function sharePackages(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    const [from, to] = [join(root, 'node_modules', name), join(folder, 'node_modules', name)]
    if (name === '.pnpm') await symlink(from, to)
    else if (name !== '.cache') await cp(from, to, { recursive: true, verbatimSymlinks: true })
  }
  for (const parent of ['apps', 'packages'])
    for (const name of await readdir(join(folder, parent))) {
      const links = join(parent, name, 'node_modules')
      await cp(join(root, links), join(folder, links), { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing)
    }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
