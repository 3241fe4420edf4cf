import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)), 'utf8')

test('T196: the lock file pins every package by its content hash and allows no other source', () => {
  const lock = read('pnpm-lock.yaml')
  const resolutions = [...lock.matchAll(/^ {4}resolution: (.+)$/gm)].map(([, resolution]) => resolution)
  expect(resolutions.length).toBeGreaterThan(300)
  for (const resolution of resolutions) expect(resolution).toMatch(/^\{integrity: sha512-[\w+/=]{86,88}\}$/)
  expect(read('scripts/bootstrap.mjs')).toContain("'--frozen-lockfile'")
})
