/** The database is not one that this version can work on. The message says what to do. */
export class DatabaseNotReadyError extends Error {
  override name = 'DatabaseNotReadyError'
}
