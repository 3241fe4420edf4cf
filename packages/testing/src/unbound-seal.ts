import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** The secret that `createTestApp` uses without AUTH_SECRET. */
export const testSecret = 'a secret that only tests know, long enough'

/** Seals in format 1, which is not bound to a place (before ADR 029). */
export function sealUnbound(text: string, secret = testSecret): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'floorpass/secret-box/1', 32))
  const id = createHash('sha256').update(key).digest('base64url').slice(0, 8)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return ['1', id, Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')].join('.')
}
