// P2034 is a broken deadlock or write conflict. As with the others, the same call may succeed in a moment.
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

// Among these, 42501 is what PostgreSQL reports on a file system that became read-only, and 25006 what a standby reports.
const unavailableSqlStates = /^(08...|28...|3D000|40001|40P01|42501|53...|55P03|57014|57P0.|25006|55000|58030)$/

// The drivers and the WebAssembly runtime raise these errors without a code.
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable|Cannot use a pool after calling end|PGlite is clos)/

const unavailableKinds = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])

/** Finds the SQLSTATE of a database error, at any depth of Prisma's and its adapters' wrapping. */
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

// Prisma keeps the adapter's error in `meta`. The adapter keeps the driver's in `cause`.
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
