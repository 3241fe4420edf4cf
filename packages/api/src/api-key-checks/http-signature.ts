import { createHash, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { type Dictionary, parseDictionary, serializeInnerList } from 'structured-headers'
import { z } from 'zod'
import { policy } from '../kernel/policy.ts'
import type { SignedRequest } from '../kernel/request.ts'
import type { SigningJwk } from './public-key.ts'

// RFC 9421, with the one profile that we accept: exactly one signature over @method, @target-uri and, with a body, content-digest.

export type RequestSignature = {
  keyId: string
  nonce: string
  /** Seconds since 1970. */
  created: number
  expires: number
  algorithm: string | null
  base: string
  bytes: Buffer
}

const parametersForm = z.strictObject({
  keyid: z.string().min(1).max(64),
  nonce: z.string().min(8).max(64),
  created: z.int(),
  expires: z.int().optional(),
  alg: z.string().max(64).optional(),
  tag: z.string().max(64).optional(),
})

/** Null for anything but the accepted profile, with the right digest. Says nothing about the time, the key or the nonce. */
export function readSignature(request: SignedRequest): RequestSignature | null {
  const inputs = parseSingle(request.signatureInput)
  const signatures = parseSingle(request.signature)
  const [label] = [...(inputs?.keys() ?? [])]
  if (label === undefined || !signatures) return null
  const [components, parameters] = inputs?.get(label) ?? []
  const [bytes] = signatures.get(label) ?? []
  if (!Array.isArray(components) || !parameters || !(bytes instanceof ArrayBuffer)) return null

  const covered = components.map(([name, own]) => (typeof name === 'string' && own.size === 0 ? name : ''))
  const expected = ['@method', '@target-uri', ...(request.contentDigest === null ? [] : ['content-digest'])]
  if (covered.length !== expected.length || !expected.every((name) => covered.includes(name))) return null
  if (!hasRightDigest(request)) return null

  const read = parametersForm.safeParse(Object.fromEntries(parameters))
  if (!read.success) return null
  const { keyid, nonce, created, expires = created + policy.apiKeys.usualWindow, alg = null } = read.data
  const values: Record<string, string> = {
    '@method': request.method,
    '@target-uri': request.url,
    'content-digest': request.contentDigest ?? '',
  }
  const lines = covered.map((name) => `"${name}": ${values[name]}`)
  const base = [...lines, `"@signature-params": ${serializeInnerList([components, parameters])}`].join('\n')
  return { keyId: keyid, nonce, created, expires, algorithm: alg, base, bytes: Buffer.from(bytes) }
}

/** Whether the request is inside its window, which is never longer than the policy allows. */
export function isInWindow({ created, expires }: Pick<RequestSignature, 'created' | 'expires'>, now: number): boolean {
  const { longestWindow, clockTolerance } = policy.apiKeys
  const seconds = now / 1000
  return created <= seconds + clockTolerance && seconds < expires && expires - created <= longestWindow && expires > created
}

const algorithms = { Ed25519: 'ed25519', 'P-256': 'ecdsa-p256-sha256' } as const

export function verifySignature({ algorithm, base, bytes }: RequestSignature, jwk: SigningJwk): boolean {
  if (algorithm !== null && algorithm !== algorithms[jwk.crv]) return false
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return jwk.crv === 'Ed25519'
    ? verify(null, Buffer.from(base), key, bytes)
    : verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

/** Null unless the header has exactly one member. Of two with one name, readers differ about which one counts. */
function parseSingle(header: string): Dictionary | null {
  if (header.replace(/"(?:[^"\\]|\\.)*"/g, '').includes(',')) return null
  try {
    return parseDictionary(header)
  } catch {
    return null
  }
}

/** RFC 9530, SHA-256. A request with a body must cover its digest. */
function hasRightDigest({ contentDigest, body }: SignedRequest): boolean {
  if (contentDigest === null) return body === null || body.length === 0
  const [digest] = parseSingle(contentDigest)?.get('sha-256') ?? []
  if (!(digest instanceof ArrayBuffer)) return false
  if (body === null) return true
  const actual = createHash('sha256').update(body).digest()
  return digest.byteLength === actual.length && timingSafeEqual(Buffer.from(digest), actual)
}
