import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export type KeyKind = 'user' | 'org'

const randomLength = 43
const checksumLength = 6
const secretForm = /fp_(?:user|org)_[0-9A-Za-z]{49}/g
const prefixedForm = new RegExp(`^[A-Za-z0-9_-]{0,32}?(${secretForm.source})$`)

/** How many random characters the list shows. The owner tells two keys apart by them. */
const visibleLength = 4

/** `fp_`, the kind, 32 random bytes and a checksum: scanners recognize a leaked secret offline. */
export function createKeySecret(kind: KeyKind): string {
  const secret = `fp_${kind}_${toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)}`
  return `${secret}${checksum(secret)}`
}

/** What the owner recognizes the key by: everything up to the first random characters. */
export const startOf = (secret: string): string => secret.slice(0, visibleLength - randomLength - checksumLength)

/** Tells a secret from an access token, which has dots. */
export const mayBeKeySecret = (text: string): boolean => text.includes('fp_') && !text.includes('.')

/** The secret that a caller presents, without the owner's prefix. Null for a wrong checksum. Costs no read of the database. */
export function readKeySecret(text: string): string | null {
  const [, secret] = prefixedForm.exec(text) ?? []
  return secret !== undefined && hasRightChecksum(secret) ? secret : null
}

/** The valid secrets in a text. A report may contain the text around them. */
export const findKeySecrets = (text: string): string[] => text.match(secretForm)?.filter(hasRightChecksum) ?? []

const hasRightChecksum = (secret: string): boolean => secret.slice(-checksumLength) === checksum(secret.slice(0, -checksumLength))

const checksum = (secret: string): string => toBase62(BigInt(crc32(secret)), checksumLength)

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = `${digits[Number(rest % 62n)]}${text}`
  return text.padStart(length, '0')
}
