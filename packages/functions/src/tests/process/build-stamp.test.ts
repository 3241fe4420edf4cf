import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
// @ts-expect-error Plain JavaScript without types.
import * as stamp from '../../../../../apps/web/scripts/build-stamp.mjs'

const { dropSuperseded, isBuilt, stampBuild, stateOfSources, unstampBuild } = stamp

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** A workspace in small: the app stands on functions, which stands on env; admin is another's. */
async function workspace() {
  const root = await mkdtemp(join(tmpdir(), 'floorpass-stamp-'))
  folders.push(root)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const name of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json', 'turbo.json']) write(name, '{}')
  const standsOn = (name: string) => JSON.stringify({ dependencies: { [`@floorpass/${name}`]: 'workspace:*' } })
  write('apps/web/package.json', standsOn('functions'))
  write('packages/functions/package.json', standsOn('env'))
  for (const name of ['env', 'admin']) write(`packages/${name}/package.json`, '{}')
  write('packages/env/src/index.ts', 'export const port = 3000')
  write('apps/web/build/service/server.js', 'listen()')
  stampBuild(stateOfSources(root), root)
  return { root, write, isBuilt: () => isBuilt(stateOfSources(root), root) as boolean }
}

describe('a build', () => {
  test('is taken as it is while nothing changed', async () => {
    const { isBuilt } = await workspace()
    expect(isBuilt()).toBe(true)
  })

  test.each([
    ['a source of the app', 'apps/web/server.ts'],
    ['a source of what the app stands on', 'packages/env/src/index.ts'],
    ['a new file there', 'packages/env/src/ports.ts'],
    ['the schema', 'packages/functions/prisma/schema.prisma'],
    ['the versions of packages', 'pnpm-lock.yaml'],
    ['how it is compiled', 'tsconfig.json'],
  ])('is made again after a change of %s', async (_, path) => {
    const { write, isBuilt } = await workspace()
    write(path, 'export const port = 4000')
    expect(isBuilt()).toBe(false)
  })

  test('is made again after a file moved, with all contents the same', async () => {
    const { root, write, isBuilt } = await workspace()
    rmSync(join(root, 'packages/env/src/index.ts'))
    write('packages/env/src/port.ts', 'export const port = 3000')
    expect(isBuilt()).toBe(false)
  })

  test.each([
    'packages/admin/src/cli.ts',
    'packages/env/README.md',
    'packages/env/src/tests/port.test.ts',
    'packages/env/node_modules/x.js',
  ])('is not made again for %s, which it does not hold', async (path) => {
    const { write, isBuilt } = await workspace()
    write(path, 'changed')
    expect(isBuilt()).toBe(true)
  })

  test('is made again when it is cut off, gone in part, or was begun and not ended', async () => {
    const first = await workspace()
    first.write('apps/web/build/service/server.js', 'lis')
    expect(first.isBuilt()).toBe(false)
    const second = await workspace()
    rmSync(join(second.root, 'apps/web/build/service'), { recursive: true })
    expect(second.isBuilt()).toBe(false)
    const third = await workspace()
    unstampBuild(third.root)
    expect(third.isBuilt()).toBe(false)
  })

  test('leaves what it replaces to services that run from it, for five builds', async () => {
    const { root, write } = await workspace()
    const [old, entry] = ['apps/web/build/service/chunk-A.js', 'apps/web/build/service/server.js']
    write(old, 'of the build before')
    const build = (number: number) => {
      const began = Date.now() + number * 60_000
      write(entry, `build ${number}`)
      utimesSync(join(root, entry), began / 1000 + 10, began / 1000 + 10)
      dropSuperseded(began, root)
      return [existsSync(join(root, old)), existsSync(join(root, entry))]
    }
    for (let number = 1; number <= 5; number += 1) expect([number, ...build(number)]).toEqual([number, true, true])
    // One that is made again is of the present.
    write(old, 'again')
    utimesSync(join(root, old), Date.now() / 1000 + 370, Date.now() / 1000 + 370)
    for (let number = 6; number <= 11; number += 1) expect([number, ...build(number)]).toEqual([number, true, true])
    expect(build(12)).toEqual([false, true])
  })
})
