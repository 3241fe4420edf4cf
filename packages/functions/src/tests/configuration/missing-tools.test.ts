import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

test.each([
  ['image.mjs', 'docker'],
  ['release.mjs', 'npx'],
])('%s names the missing tool %s', async (script, tool) => {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-tools-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  symlinkSync(spawnSync('which', ['git'], { encoding: 'utf8' }).stdout.trim(), join(folder, 'git'))
  const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}`, 'registry.test/owner/name'], {
    cwd: root,
    env: { PATH: folder },
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, `spawnSync ${tool} ENOENT\n`])
})
