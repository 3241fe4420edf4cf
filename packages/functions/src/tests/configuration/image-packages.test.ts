import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

test('the image keeps the packages that the service links to, and drops those that only a removed package needs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-image-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const store = (key: string) => join(folder, 'node_modules/.pnpm', key, 'node_modules')
  const link = (from: string, name: string, key: string) => {
    mkdirSync(join(store(key), name), { recursive: true })
    mkdirSync(dirname(join(from, name)), { recursive: true })
    symlinkSync(join(store(key), name), join(from, name))
  }
  link(join(folder, 'apps/service/node_modules'), '@scope/direct', '@scope+direct@1.0.0')
  link(store('@scope+direct@1.0.0'), 'deep', 'deep@1.0.0')
  link(store('deep@1.0.0'), '@scope/direct', '@scope+direct@1.0.0')
  link(store('command-line@1.0.0'), 'engine', 'engine@1.0.0')
  link(join(folder, 'node_modules'), 'at-the-root', 'at-the-root@1.0.0')
  symlinkSync('nowhere', join(folder, 'node_modules/removed'))
  spawnSync(process.execPath, [join(root, 'deploy/drop-unlinked.mjs'), folder], { stdio: 'inherit' })
  expect(readdirSync(join(folder, 'node_modules/.pnpm'))).toEqual(['@scope+direct@1.0.0', 'at-the-root@1.0.0', 'deep@1.0.0'])
})

test("the second PGlite of the lock file belongs to Prisma's command line, which the image drops", () => {
  const { snapshots } = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as {
    snapshots: Record<string, { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }>
  }
  const engines = Object.keys(snapshots).filter((key) => key.startsWith('@electric-sql/pglite@'))
  const usersOf = (key: string) =>
    Object.keys(snapshots).filter((user) =>
      Object.entries({ ...snapshots[user]?.dependencies, ...snapshots[user]?.optionalDependencies }).some(
        ([name, version]) => `${name}@${version}` === key,
      ),
    )
  /** Whether a package that is not of Prisma's command line needs this one. */
  const isNeeded = (key: string): boolean =>
    usersOf(key).some((user) => !user.startsWith('prisma@') && (usersOf(user).length === 0 || isNeeded(user)))
  expect(engines.filter(isNeeded)).toHaveLength(1)
  expect(readFileSync(join(root, 'deploy/prune.sh'), 'utf8')).toContain('rm -rf node_modules/.pnpm/prisma@*')
})
