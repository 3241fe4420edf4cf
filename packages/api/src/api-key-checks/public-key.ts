import { createPublicKey, type KeyObject } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'

/** Without private or needless fields. */
export type SigningJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string } | { kty: 'EC'; crv: 'P-256'; x: string; y: string }

/** Reads SPKI in PEM, or a JWK. Ed25519 and P-256 only. INVALID_PUBLIC_KEY, also for a private key. */
export function readPublicKey(given: string | Record<string, unknown>): SigningJwk {
  const { kty, crv, x, y } = importKey(given).export({ format: 'jwk' })
  if (kty === 'OKP' && crv === 'Ed25519' && x) return { kty, crv, x }
  if (kty === 'EC' && crv === 'P-256' && x && y) return { kty, crv, x, y }
  throw new AppError('INVALID_PUBLIC_KEY')
}

function importKey(given: string | Record<string, unknown>): KeyObject {
  // Node would derive the public key of a private one. A private key that was sent here has leaked.
  if (typeof given === 'string' ? given.includes('PRIVATE') : 'd' in given) throw new AppError('INVALID_PUBLIC_KEY')
  try {
    return typeof given === 'string' ? createPublicKey(given) : createPublicKey({ key: given, format: 'jwk' })
  } catch (cause) {
    throw new AppError('INVALID_PUBLIC_KEY', { cause })
  }
}
