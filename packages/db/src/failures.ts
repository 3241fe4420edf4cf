// P2034 is a deadlock or a write conflict that the server broke: like the others, the same call may succeed in a moment.
const unavailablePrismaCodes = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  'P2037',
])

const unavailableSystemCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOSPC',
  'ENOTFOUND',
  'EROFS',
  'EPIPE',
  'ETIMEDOUT',
])

// Connection failures, refused logins, a missing database, broken deadlocks, a lock or a statement that took too long, out of resources, shut-down, a database that is being renamed or dropped, a stand-by after a
// fail-over, input/output errors, and files that may not be written: a file system that became read-only is 42501 to PostgreSQL.
const unavailableSqlStates = /^(08...|28...|3D000|40001|40P01|42501|53...|55P03|57014|57P0.|25006|55000|58030)$/

// The drivers and the WebAssembly runtime raise these without a code.
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable|Cannot use a pool after calling end|PGlite is clos)/

/** What the driver adapters call it. */
const unavailableKinds = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])

/** The SQLSTATE of a database error, however deep Prisma and its adapters wrapped it. */
export const sqlStateOf = (error: unknown): string | undefined =>
  layersOf(error)
    .map((layer) => layer.originalCode ?? layer.code)
    .find((code): code is string => typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^[EP]\d{4}$/.test(code))

export const isUniqueViolation = (error: unknown): boolean =>
  layersOf(error).some((layer) => layer.code === 'P2002' || layer.code === '23505' || layer.originalCode === '23505')

export const isDatabaseUnavailable = (error: unknown): boolean =>
  layersOf(error).some(
    ({ code, originalCode, kind, message }) =>
      unavailablePrismaCodes.has(String(code)) ||
      unavailableKinds.has(String(kind)) ||
      unavailableSystemCodes.has(String(code)) ||
      unavailableSqlStates.test(String(code)) ||
      unavailableSqlStates.test(String(originalCode)) ||
      (typeof message === 'string' && unavailableMessages.test(message)),
  )

type Layer = Record<string, unknown>

// Prisma keeps the adapter's error in `meta`, the adapter the driver's in `cause`.
const layersOf = (error: unknown): Layer[] => {
  const layers: Layer[] = []
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || layers.includes(value as Layer)) return
    const layer = value as Layer
    layers.push(layer)
    for (const inner of [layer.cause, layer.meta, layer.driverAdapterError, ...(Array.isArray(layer.errors) ? layer.errors : [])])
      visit(inner)
  }
  visit(error)
  return layers
}
