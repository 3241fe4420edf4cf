import { passwordLength } from '../kernel/field-problems.ts'

const longestDecomposed = 4 * passwordLength.max

/** Leaves a too long password as it is: normalizing 10,000 accents takes 0.4 s (ADR 028). */
export const normalizePassword = (password: string, form: 'NFC' | 'NFKC' = 'NFC'): string =>
  [...password].length > longestDecomposed ? password : password.normalize(form)
