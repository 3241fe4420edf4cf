import { constants, existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@floorpass/db'
import { inject } from 'vitest'

/**
 * Fills a new DATA_DIR with a migrated embedded database, unless the service uses DATABASE_URL. Returns its argument. It copies the database
 * of the run, because to create one takes ten times as long. A run on PostgreSQL has none to copy.
 */
export async function fillDataDir<Environment extends Record<string, string>>(environment: Environment): Promise<Environment> {
  const templates = inject('testTemplates')
  const { DATA_DIR, DATABASE_URL } = environment
  if (!DATA_DIR || DATABASE_URL || existsSync(join(DATA_DIR, 'database'))) return environment
  if (templates.kind === 'embedded') {
    await cp(templates.dataDir, DATA_DIR, { recursive: true, mode: constants.COPYFILE_FICLONE })
  } else {
    const { migrate, close } = await openDatabase({ kind: 'embedded', directory: join(DATA_DIR, 'database') })
    await migrate().finally(close)
  }
  return environment
}
