import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { normalizePassword } from './normalize-password.ts'

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)
const cost: ScryptOptions = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
const format = /^([0-9a-f]{32}):([0-9a-f]{128})$/

export const isBetterAuthHash = (hash: string): boolean => format.test(hash)

/** better-auth hashes the NFKC form and uses the hex text of the salt as the salt. */
export async function verifyBetterAuthHash(hash: string, password: string): Promise<boolean> {
  const [, salt = '', key = ''] = format.exec(hash) ?? []
  const expected = Buffer.from(key, 'hex')
  return timingSafeEqual(await derive(normalizePassword(password, 'NFKC'), salt, expected.length, cost), expected)
}
