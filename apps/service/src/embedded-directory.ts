import { loadDatabaseConfig, readEnvironment } from '@floorpass/env'

/** The folder of the embedded database. Null on PostgreSQL or with wrong settings: opening the service reports those. */
export function findEmbeddedDirectory(source = readEnvironment()): string | null {
  try {
    const { database } = loadDatabaseConfig(source)
    return database.kind === 'embedded' ? database.directory : null
  } catch {
    return null
  }
}
