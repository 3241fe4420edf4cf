// P2034 is a write conflict or a deadlock that PostgreSQL broke. A retry may succeed, as with the others.
const unavailablePrismaCodes = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
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
  'EPROTO',
  'EPIPE',
  'ETIMEDOUT',
])

// 42501: PostgreSQL reports a read-only file system as missing privileges. 25006: a standby.
const unavailableSqlStates = /^(08...|28...|3D000|40001|40P01|42501|53...|55P03|57014|57P0.|25006|55000|58030)$/

const unavailableMessages =
  /^(Connection terminated|timeout exp|SASL: |The server does not support SSL|There was an error establishing an SSL|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable|Cannot use a pool after calling end|PGlite is clos)/

const tlsCodes = /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT$|UNABLE_TO_(GET|VERIFY|DECODE|DECRYPT))/

const unavailableKinds = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
])

/** Finds the SQLSTATE of a database error, at any depth of Prisma's and its adapters' wrapping. */
export const findSqlState = (error: unknown): string | undefined =>
  collectLayers(error)
    .map((layer) => layer.originalCode ?? layer.code)
    .find((code): code is string => typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^[EP]\d{4}$/.test(code))

export const isUniqueViolation = (error: unknown): boolean =>
  collectLayers(error).some((layer) => layer.code === 'P2002' || layer.code === '23505' || layer.originalCode === '23505')

export const isDatabaseUnavailable = (error: unknown): boolean =>
  collectLayers(error).some(
    ({ code, originalCode, kind, message, syscall }) =>
      // The socket of a stopped PostgreSQL: not a missing file.
      (syscall === 'connect' && /^(ENOENT|EACCES)$/.test(String(code))) ||
      unavailablePrismaCodes.has(String(code)) ||
      unavailableKinds.has(String(kind)) ||
      unavailableSystemCodes.has(String(code)) ||
      tlsCodes.test(String(code)) ||
      unavailableSqlStates.test(String(code)) ||
      unavailableSqlStates.test(String(originalCode)) ||
      (typeof message === 'string' && unavailableMessages.test(message)),
  )

type Layer = Record<string, unknown>

export const collectLayers = (error: unknown): Layer[] => {
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
