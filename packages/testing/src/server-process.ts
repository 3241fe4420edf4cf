import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type Exit, freePort, killServices, launchService, type ServiceProcess, startService } from '@floorpass/reliability'
import { closeAfterFile } from './close-after-file.ts'
import { fillDataDir } from './migrated-data-dir.ts'
import { builtMarker } from './run-folder.ts'
import { createTestDatabase } from './test-database.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')

export { freePort, type ServiceProcess as ServerProcess }

/** Starts a server. A new DATA_DIR gets a migrated database. It is killed when the file ends. */
export async function startServer(...[environment, ...rest]: Parameters<typeof startService>): Promise<ServiceProcess> {
  closeAfterFile(async () => killServices())
  return startService(await fillDataDir(environment), ...rest)
}

/** Creates a folder. The file's tests remove it at their end. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorpass-server-'))
  closeAfterFile(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Database settings of a server: a new PostgreSQL database, or none for the embedded one in DATA_DIR. */
export async function databaseEnvironment(): Promise<Record<string, string>> {
  const { options, drop } = await createTestDatabase()
  closeAfterFile(drop)
  return options.kind === 'postgres' ? { DATABASE_URL: options.url } : {}
}

/** Starts a server that is expected to fail, and resolves to its exit. */
export function failToStart(environment: Record<string, string>): Promise<Exit> {
  closeAfterFile(async () => killServices())
  return launchService(environment).exited
}

/** Builds the service as `npm start` does, once a run. A lock keeps parallel files and runs from building at the same time. */
async function buildService(): Promise<void> {
  const built = join(tmpdir(), builtMarker)
  if (existsSync(built)) return
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const lock = new DatabaseSync(join(cache, 'test-build.lock'), { timeout: 120_000 })
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
  if (code !== 0) throw new Error(`the build failed:\n${output}`)
  await writeFile(built, '')
}

await buildService()
