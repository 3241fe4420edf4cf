import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

const rows = read('docs/security-checklist.md')
  .split('\n')
  .flatMap((line) => {
    const [, number, , where] = line.split(' | ').length === 3 ? (/^\| (T\d+) \| (.+) \| (.+) \|$/.exec(line) ?? []) : []
    return number === undefined || where === undefined ? [] : [{ number, where }]
  })

/** The literal titles of test, it and describe in a file. */
const titlesOf = (path: string) =>
  read(path)
    .split('\n')
    .filter(
      (line) =>
        /(\b(test|it|describe)\b.*|^\s*\]\s*\)|^\s*\]|^\s*)\(?\s*(async\s*)?['"`].*\bT\d/.test(line) ||
        /\bT\d+\b.*['"`],/.test(line),
    )
    .join('\n')

test('every row names its tests or says why it has none', () => {
  expect(rows.length).toBeGreaterThan(160)
  expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length)
  for (const { number, where } of rows) expect([number, where]).toEqual([number, expect.stringMatching(/^`|^Not tested: .{20,}/)])
})

test.each(rows.filter(({ where }) => where.startsWith('`')))('$number is in the titles of its tests', ({ number, where }) => {
  const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
  for (const path of paths) expect([path, titlesOf(path)]).toEqual([path, expect.stringMatching(new RegExp(`\\b${number}\\b`))])
})
