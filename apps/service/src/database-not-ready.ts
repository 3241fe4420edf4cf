/** The database or its secret does not fit this version or configuration. The message says what to do. */
export class DatabaseNotReadyError extends Error {
  override name = 'DatabaseNotReadyError'
}
