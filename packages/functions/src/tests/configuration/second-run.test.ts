import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { once } from '../../../../../vitest.config.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const forPostgres = /\.runIf\([^)]*testDatabase\.kind === 'postgres'/

test('no file that runs on the embedded database only has a test for PostgreSQL', () => {
  for (const pattern of once) expect(globSync(pattern, { cwd: root }), pattern).not.toEqual([])
  const files = globSync(once, { cwd: root }).filter((file) => file.endsWith('.test.ts'))
  expect(files.filter((file) => forPostgres.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
