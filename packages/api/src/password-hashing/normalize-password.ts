import { passwordLength } from '../kernel/field-problems.ts'

/** NFC composes at most four code points into one, so anything longer is over the limit in any form. */
const longestDecomposed = 4 * passwordLength.max

/**
 * Keyboards compose accents differently, but the same characters must give the same hash. Returns a too long password
 * unchanged: normalizing 10,000 accents takes 0.4 s (ADR 028).
 */
export const normalizePassword = (password: string, form: 'NFC' | 'NFKC' = 'NFC'): string =>
  [...password].length > longestDecomposed ? password : password.normalize(form)
