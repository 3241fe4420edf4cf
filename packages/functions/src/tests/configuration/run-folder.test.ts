import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../../../testing/src/run-folder.ts', import.meta.url))
let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'parent-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

/** Opens a folder below `parent` in a process that then ends in this way. */
function runAndEnd(end: string) {
  const script = `import { openRunFolder } from ${JSON.stringify(source)}
    import { mkdtempSync, writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    const folder = openRunFolder()
    const inner = mkdtempSync(tmpdir() + '/inner-')
    writeFileSync(inner + '/auth-secret', 'secret')
    console.log(inner)
    ${end}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TMPDIR: parent },
  })
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^.+\/floorpass-\d+-\w+\/inner-\w+\n(left\n)?$/), expect.any(String)])
  return { stdout, left: readdirSync(parent) }
}

test('this run keeps its temporary folders in one that its end removes', () => {
  expect(basename(tmpdir())).toMatch(/^floorpass-\d+-\w{6}$/)
  const inChild = spawnSync(process.execPath, ['-p', 'os.tmpdir()'], { encoding: 'utf8' })
  expect(inChild.stdout.trim()).toBe(tmpdir())
})

test.each(['folder.remove()', 'process.exit(1)', 'setTimeout(() => { throw new Error("a bug of the runner") })'])(
  'nothing is left after %s',
  (end) => {
    expect(runAndEnd(end).left).toEqual([])
  },
)

test('the next run removes what a killed one left, and nothing of a live one', () => {
  expect(runAndEnd("process.kill(process.pid, 'SIGKILL')").left).toHaveLength(1)
  const live = `floorpass-${process.pid}-abcdef`
  for (const name of [live, 'floorpass-data', 'another-1-abcdef']) mkdirSync(join(parent, name))
  expect(runAndEnd('folder.remove()').left.sort()).toEqual(['another-1-abcdef', live, 'floorpass-data'].sort())
})
