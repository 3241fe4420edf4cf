/** Why an API key opens nothing. */
export const keyRefusalCodes = [
  'INVALID_API_KEY',
  'KEY_DISABLED',
  'KEY_EXPIRED',
  'RATE_LIMITED',
  'INSUFFICIENT_SCOPE',
  'ACCOUNT_LOCKED',
  'ACCOUNT_HELD',
  'IP_NOT_ALLOWED',
  'SIGNATURE_INVALID',
  'REPLAYED',
] as const

export type KeyRefusalCode = (typeof keyRefusalCodes)[number]
