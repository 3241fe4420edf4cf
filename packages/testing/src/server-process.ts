import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type Exit, freePort, killServices, launchService, type ServiceProcess, startService } from '@floorpass/reliability'
import { afterAll, vi } from 'vitest'
import { createTestDatabase } from './test-database.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')

export { freePort, type ServiceProcess as ServerProcess, startService as startServer }

/** A folder that is gone after the file's tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-server-'))
  folders.push(folder)
  return folder
}

/** What a server needs to run on the database under test: a PostgreSQL database of its own, or the embedded one in its DATA_DIR. */
export async function databaseEnvironment(): Promise<Record<string, string>> {
  const { options, drop } = await createTestDatabase()
  drops.push(drop)
  return options.kind === 'postgres' ? { DATABASE_URL: options.url } : {}
}

/** The same for a server that is expected not to start. */
export const failToStart = (environment: Record<string, string>): Promise<Exit> => launchService(environment).exited

const folders: string[] = []
const drops: (() => Promise<void>)[] = []

afterAll(async () => {
  killServices()
  await Promise.all(drops.map((drop) => drop()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
})

/** The pages as `npm start` builds them; quick when nothing changed. One process at a time, whichever tests run beside these. */
async function buildPages(): Promise<void> {
  const lock = new DatabaseSync(join(tmpdir(), `floorpass-build-${process.getuid?.()}.lock`), { timeout: 120_000 })
  lock.exec('BEGIN EXCLUSIVE')
  const turbo = spawn(join(binaries, 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: '', PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [turbo.stdout, turbo.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const [code] = await once(turbo, 'close')
  lock.close()
  if (code !== 0) throw new Error(`the pages could not be built:\n${output}`)
}

// A process that starts and ends takes seconds, on a busy machine many.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })
await buildPages()
