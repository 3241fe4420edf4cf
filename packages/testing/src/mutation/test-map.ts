import { globSync } from 'node:fs'
import { join } from 'node:path'
import { servers } from '../../../../vitest.config.ts'
import map from './test-map.json' with { type: 'json' }

export const testMap: Record<string, string[]> = map
export const testsFolder = 'packages/functions/src/tests'

/** Folders for `--sample-of-all`. */
export const allFolders = ['packages/api/src', 'packages/functions/src', 'packages/db/src']

/** These look at the repository or at other packages, where no mutant is. Timing needs an idle machine. */
const outOfReach = /\/(?:configuration|docs|test-badges|server)\/|sign-in\/timing\.test\.ts$/

/** Accepts `passwords` for `packages/api/src/passwords`. */
export function findFolder(name: string): string | undefined {
  return Object.keys(testMap).find((folder) => folder === name.replace(/\/$/, '') || folder.endsWith(`/${name}`))
}

export function nightlyFolder(date: Date): string {
  const folders = Object.keys(testMap)
  const day = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)
  return folders[day % folders.length] as string
}

/** Their rows call every route, so they belong to every folder. */
export const tables = [
  'audit/one-transaction.test.ts',
  'events/every-change.test.ts',
  'protection/every-mutating-route.test.ts',
  'rest/openapi.test.ts',
  'rest/owner-boundary.test.ts',
]

/** The test files of these entries, or every reachable test file. */
export function findTests(root: string, entries: string[] = ['']): string[] {
  const patterns = entries.map((entry) => join(testsFolder, entry.endsWith('.ts') ? entry : `${entry}/**/*.test.ts`))
  // A built service runs without the mutants.
  const started = new Set(globSync(servers, { cwd: root }))
  return [...new Set(globSync(patterns, { cwd: root }))].filter((file) => !started.has(file) && !outOfReach.test(file)).sort()
}

export function findSources(root: string, folders: string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`)
  return globSync(patterns, { cwd: root })
    .filter((file) => !/\/(?:tests|generated)\/|\.d\.ts$/.test(file))
    .sort()
}
