import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8')
const folders = ['apps/service/src', 'packages/api/src', 'packages/db/src', 'packages/email/src', 'packages/functions/src']

const call = /\b(?:log\.(?:info|warn|error)|logRarely)\(/g

/** The texts of more than one word in the calls of a logger. */
function findMessages(source: string): string[] {
  return [...source.matchAll(call)].flatMap(({ index, 0: start }) => {
    let end = index + start.length
    for (let depth = 1; depth > 0 && end < source.length; end += 1) {
      if (source[end] === '(') depth += 1
      if (source[end] === ')') depth -= 1
    }
    return [...source.slice(index, end).matchAll(/'([A-Za-z][^'\n]* [^'\n]+)'/g)].map(([, text]) => String(text))
  })
}

test('docs/operations.md explains every log line', async () => {
  const unexplained: string[] = []
  let found = 0
  for (const folder of folders) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.ts') || name.includes('tests/')) continue
      const messages = findMessages(await readFile(join(root, folder, name), 'utf8'))
      found += messages.length
      unexplained.push(...messages.filter((message) => !guide.includes(`\`${message}\``)))
    }
  }
  expect(unexplained).toEqual([])
  expect(found).toBeGreaterThan(40)
})
