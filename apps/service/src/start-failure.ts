import { DataDirInUseError, DataDirUnusableError, explainDatabaseFailure, MigrationError } from '@floorpass/db'
import { LocalSecretError } from './auth-secret.ts'
import { BrandError } from './brand/open-brand.ts'
import { DatabaseNotReadyError } from './database-not-ready.ts'
import { PlaceDatabaseError } from './place-database-error.ts'

const hostHint = 'Use 127.0.0.1, or 0.0.0.0 for all addresses.'

/** HOST does not resolve. The error of an unknown database host looks the same, so this one has a class. */
export class UnknownHostError extends Error {
  override name = 'UnknownHostError'

  constructor(host: string) {
    super(`HOST ${host} does not resolve on this machine. ${hostHint}`)
  }
}

export function explainStartFailure(error: unknown, databaseKind: 'embedded' | 'postgres' = 'postgres'): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  const isExplained =
    error.name === 'ConfigError' ||
    // Compared by name: importing the class would load the Redis client.
    error.name === 'RedisRefusedError' ||
    error instanceof LocalSecretError ||
    error instanceof BrandError ||
    error instanceof PlaceDatabaseError ||
    error instanceof UnknownHostError ||
    error instanceof DatabaseNotReadyError ||
    error instanceof DataDirInUseError ||
    error instanceof DataDirUnusableError ||
    error instanceof MigrationError
  if (isExplained) return error.message
  if (code === 'ENOSPC') return 'The disk of DATA_DIR is full. Free some space, then try again.'
  if (path !== undefined) return `${error.message}. Check that ${path} exists and that this user may read and write it.`
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another program. Stop that program, or choose another port: PORT=${Number(port) + 1} npm start`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs more rights than this user has. Choose a port above 1023: PORT=3000 npm start`
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is not an address of this machine. ${hostHint}`
  const database = explainDatabaseFailure(error, databaseKind)
  if (database)
    return `The database ${databaseKind === 'embedded' ? 'in DATA_DIR' : 'at DATABASE_URL'} cannot be used: ${database.reason}. ${database.fix}`
  return error.stack ?? error.message
}
