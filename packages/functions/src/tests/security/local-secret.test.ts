import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalSecretError, localSecret } from '@floorpass/service/auth-secret'
import { expect, onTestFinished, test } from 'vitest'

async function createDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-secret-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('the first starts of eight processes agree on one secret that only its owner can read', async () => {
  const folder = await createDataDir()
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => localSecret(folder)))
  expect(others).toEqual(Array(7).fill(first))
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(await readdir(folder)).toEqual(['auth-secret'])
  expect((await stat(join(folder, 'auth-secret'))).mode & 0o777).toBe(0o600)
})

test('an existing secret is read, and no file is written', async () => {
  const folder = await createDataDir()
  const secret = await localSecret(folder)
  await utimes(folder, 1, 1)
  expect(await localSecret(folder)).toBe(secret)
  expect((await stat(folder)).mtimeMs).toBe(1_000)
})

test('a truncated secret is refused and left unchanged', async () => {
  const folder = await createDataDir()
  await writeFile(join(folder, 'auth-secret'), 'cut')
  await expect(localSecret(folder)).rejects.toThrow(LocalSecretError)
  expect((await stat(join(folder, 'auth-secret'))).size).toBe(3)
})
