import { DataDirInUseError, DataDirUnusableError, isDatabaseUnavailable, MigrationError } from '@floorpass/db'
import { LocalSecretError } from './auth-secret.ts'
import { DatabaseNotReadyError } from './database-not-ready.ts'

const addresses = 'Use 127.0.0.1, or 0.0.0.0 for all of them.'

/** HOST is a name that leads nowhere. Apart from a database's host, whose error looks the same. */
export class UnknownHostError extends Error {
  override name = 'UnknownHostError'

  constructor(host: string) {
    super(`HOST ${host} is no name that this machine knows. ${addresses}`)
  }
}

/** Why the service did not start and what to do about it, in words for the terminal. What nobody foresaw keeps its stack. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  const explained =
    error.name === 'ConfigError' ||
    error instanceof LocalSecretError ||
    error instanceof UnknownHostError ||
    error instanceof DatabaseNotReadyError ||
    error instanceof DataDirInUseError ||
    error instanceof DataDirUnusableError ||
    error instanceof MigrationError
  if (explained) return error.message
  if (code === 'ENOSPC') return 'The disk of DATA_DIR is full. Make room, and try again.'
  if (path !== undefined) return `${error.message}. Set DATA_DIR to a folder that this user may create and write.`
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another program. Stop that one, or choose another port: PORT=${Number(port) + 1} npm start`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs more rights than this user has. Choose one above 1023: PORT=3000 npm start`
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is no address of this machine. ${addresses}`
  if (isDatabaseUnavailable(error)) {
    return 'The database at DATABASE_URL does not answer. Check that it runs and exists, and that host, port, user and password are right; or unset DATABASE_URL to use the embedded one.'
  }
  return error.stack ?? error.message
}
