import { randomInt } from 'node:crypto'

/** Crockford's base 32 has no letter that looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A secret that people type, such as `k7w2m-9hq4t-x3r8c`: five random bits a character. */
export function createTypedCode(length: number): string {
  const characters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return characters.replace(/(.{5})(?=.)/g, '$1-')
}

export const normalizeTypedCode = (code: string): string =>
  code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replace(/o/g, '0')
