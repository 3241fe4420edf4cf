import { passwordLength } from '../kernel/field-problems.ts'

/** NFC composes a character of four code points at most: what is longer is no password of ours, whatever the composition. */
const longestDecomposed = 4 * passwordLength.max

/**
 * Keyboards compose accents differently: the same characters must give the same hash. Nothing is trimmed or folded. A password that is too
 * long for ours stays as it is: normalizing 10,000 combining accents takes 0.4 s, since its cost grows with the square (ADR 028).
 */
export const normalizePassword = (password: string, form: 'NFC' | 'NFKC' = 'NFC'): string =>
  [...password].length > longestDecomposed ? password : password.normalize(form)
