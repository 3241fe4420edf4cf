import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '@floorpass/testing/eventually'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

test('a failed test prints its reason while the next one still runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'failing-'))
  await writeFile(
    join(folder, 'vitest.config.mjs'),
    `import { failureReporter } from '${root}packages/testing/src/failure-reporter.ts'
     export default { test: { globals: true, include: ['*.test.mjs'], reporters: [failureReporter] } }`,
  )
  await writeFile(
    join(folder, 'sums.test.mjs'),
    `test('one and one', () => expect({ sum: 1 + 1 }).toEqual({ sum: 3 }))
     test('never ends', () => new Promise(() => {}), 0)`,
  )
  const { CI: _, ...env } = process.env
  const vitest = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder], { env })
  onTestFinished(async () => {
    vitest.kill()
    await once(vitest, 'close')
  })
  let output = ''
  vitest.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  await eventually(() => expect(output).toContain('FAILED sums.test.mjs > one and one'))
  expect(output).toMatch(/AssertionError: expected \{ sum: 2 \} to deeply equal \{ sum: 3 \}\n +at .*sums\.test\.mjs:1/)
  expect(output).toMatch(/-.+"sum": 3.*\n.*\+.+"sum": 2/)
  expect(vitest.exitCode).toBeNull()
})
