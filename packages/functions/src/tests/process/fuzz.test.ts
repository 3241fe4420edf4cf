import { openDatabase } from '@floorpass/db'
import { fuzz, fuzzEnvironment } from '@floorpass/testing/fuzz'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { expect, test } from 'vitest'

test('T159, T160, T163: two thousand hostile requests over every route cause no violation', { timeout: 240_000 }, async () => {
  const [database, dataDir] = [await databaseEnvironment(), await temporaryFolder()]
  const server = await startServer({ ...database, DATA_DIR: dataDir, ...fuzzEnvironment })
  const opened = database.DATABASE_URL ? await openDatabase({ kind: 'postgres', url: database.DATABASE_URL, poolSize: 1 }) : null
  const target = { url: server.url, pid: server.pid, dataDir, db: opened?.db ?? null }
  // Always the same requests: fuzz.yml sends others each day.
  const { statuses, violations } = await fuzz(target, { seed: 20261123, requests: 2000 })
  await opened?.close()
  expect(violations).toEqual([])
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '405', '413', '415']))

  const { code, stdout } = await server.end('SIGTERM')
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => /"level":[56]0/.test(line))).toEqual([])
})
