import { createHash, timingSafeEqual } from 'node:crypto'

/** The token of an Authorization header of the scheme Bearer (RFC 6750 2.1). Null for another scheme; empty, so invalid, if malformed. */
export function bearerToken(header: string | null): string | null {
  const [, rest] = /^Bearer\b(.*)$/i.exec(header ?? '') ?? []
  if (rest === undefined) return null
  return /^ +(\S+) *$/.exec(rest)?.[1] ?? ''
}

/** Whether the Authorization header carries the secret; false if `secret` is null. Hashing makes the comparison time constant for any length. */
export function isBearer(header: string | null, secret: string | null): boolean {
  const token = /^Bearer +(.+)$/i.exec(header ?? '')?.[1]
  if (token === undefined || secret === null) return false
  const [left, right] = [token, secret].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(left, right)
}
