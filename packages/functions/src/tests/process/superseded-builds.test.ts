import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'
// @ts-expect-error Plain JavaScript without types.
import { dropSuperseded } from '../../../../../scripts/drop-superseded.mjs'

test('a build keeps the files that it replaces for five builds, for running services', async () => {
  const folder = await temporaryFolder()
  const [old, entry] = [join(folder, 'chunk-A.js'), join(folder, 'server.js')]
  writeFileSync(old, 'of the build before')
  const build = (number: number) => {
    const began = Date.now() + number * 60_000
    writeFileSync(entry, `build ${number}`)
    utimesSync(entry, began / 1000 + 10, began / 1000 + 10)
    dropSuperseded(folder, began)
    return [existsSync(old), existsSync(entry)]
  }
  for (let number = 1; number <= 5; number += 1) expect([number, ...build(number)]).toEqual([number, true, true])
  // A file that a later build writes is current.
  writeFileSync(old, 'again')
  utimesSync(old, Date.now() / 1000 + 370, Date.now() / 1000 + 370)
  for (let number = 6; number <= 11; number += 1) expect([number, ...build(number)]).toEqual([number, true, true])
  expect(build(12)).toEqual([false, true])
})
