import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

test('every path that the tour names is there', () => {
  const tour = readFileSync(`${root}docs/tour.md`, 'utf8')
  const paths = [...tour.matchAll(/`((?:apps|packages|docs|features)[\w./-]*)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(15)
  expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})
