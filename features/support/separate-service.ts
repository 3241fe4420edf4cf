import { constants, existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServiceProcess, startService } from '@floorpass/reliability'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The folder of the data that prepare-service.ts creates for the run. */
export const template = join(root, 'test-results', 'migrated')

/** Fills a new DATA_DIR. To create a database takes three times as long as to start a service on a copy. */
export const copyMigratedDatabase = (dataDir: string): Promise<void> =>
  cp(template, dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE })

/** Starts a service beside the one for all tests, with its own data and only this environment. */
export async function startSeparateService(environment: Record<string, string> & { DATA_DIR: string }): Promise<ServiceProcess> {
  if (!existsSync(join(environment.DATA_DIR, 'database'))) await copyMigratedDatabase(environment.DATA_DIR)
  return startService(environment)
}
