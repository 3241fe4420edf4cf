import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

test.each([
  ['tour', 15],
  ['operations', 2],
  ['your-backend', 1],
])('every path that docs/%s.md names exists', (name, least) => {
  const tour = readFileSync(`${root}docs/${name}.md`, 'utf8')
  const paths = [...tour.matchAll(/`((?:apps|packages|docs|features)[\w./-]*)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(least)
  expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})
