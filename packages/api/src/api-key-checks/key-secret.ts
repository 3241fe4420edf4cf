import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export type KeyKind = 'user' | 'org'

const randomLength = 43
const checksumLength = 6
const secretForm = /^[A-Za-z0-9_-]{0,32}?(fp_(?:user|org)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** Of the random part, as many characters as tell the keys of one owner apart. */
const visibleLength = 4

/** `fp_`, the kind, 32 random bytes and a checksum: scanners recognize a secret that leaked without asking us. */
export function createKeySecret(kind: KeyKind, prefix = ''): string {
  const secret = `fp_${kind}_${toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`
  return `${prefix}${secret}${checksum(secret)}`
}

/** What the owner recognizes the key by: everything up to the first random characters. */
export const startOf = (secret: string): string => secret.slice(0, visibleLength - randomLength - checksumLength)

/** Tells a secret from an access token, which has dots. */
export const mayBeKeySecret = (text: string): boolean => text.includes('fp_') && !text.includes('.')

/** Whether the text can be a secret of ours. Costs no read of the database. */
export function isKeySecret(text: string): boolean {
  const [, secret = '', sum] = secretForm.exec(text) ?? []
  return sum !== undefined && sum === checksum(secret)
}

const checksum = (secret: string): string => toBase62(BigInt(crc32(secret)), checksumLength)

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = `${digits[Number(rest % 62n)]}${text}`
  return text.padStart(length, '0')
}
