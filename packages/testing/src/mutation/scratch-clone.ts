import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the working tree with its installed packages. Returns its path and how to remove it. */
export function createScratchClone(root: string): { folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'floorpass-mutation-')))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const copy = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  }
  for (const file of list.split('\0').filter((path) => path && existsSync(join(root, path)))) copy(file)
  copy('packages/db/src/generated')

  const workspaces = [
    'bench',
    ...['apps', 'packages'].flatMap((name) => readdirSync(join(root, name)).map((one) => join(name, one))),
  ]
  for (const path of workspaces.map((one) => join(one, 'node_modules'))) if (existsSync(join(root, path))) copy(path)
  // Relative links lead to the packages of the clone; the store of third-party packages is shared.
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // Tests that start the service build it with these.
    if (name.startsWith('.') && name !== '.bin') continue
    copy(join('node_modules', name))
  }
  symlinkSync(realpathSync(join(root, 'node_modules/.pnpm')), join(folder, 'node_modules/.pnpm'))
  return { folder, remove }
}

/** Where a process of the tests names its mutant, by process id. */
export const activeMutants = (root: string): string => join(root, 'active-mutants')
