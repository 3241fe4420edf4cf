import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether the Authorization header carries the secret; never when there is none. Hashed first: the comparison then takes as long for any guess, of any length. */
export function isBearer(header: string | null, secret: string | null): boolean {
  const given = /^Bearer +(.+)$/i.exec(header ?? '')?.[1]
  if (given === undefined || secret === null) return false
  const [left, right] = [given, secret].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(left, right)
}
