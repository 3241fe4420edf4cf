import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether the Authorization header carries the secret; false if `secret` is null. Hashing makes the comparison time constant for any length. */
export function isBearer(header: string | null, secret: string | null): boolean {
  const token = /^Bearer +(.+)$/i.exec(header ?? '')?.[1]
  if (token === undefined || secret === null) return false
  const [left, right] = [token, secret].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(left, right)
}
