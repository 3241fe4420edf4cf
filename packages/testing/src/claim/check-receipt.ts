// Stands for a verifier of another team: it imports nothing of Floorpass.
import { createHash, createPublicKey, verify, type webcrypto } from 'node:crypto'

type JsonWebKey = webcrypto.JsonWebKey

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type ReceiptRules = {
  issuer: string
  audience: string
  rpId: string
  origin: string
  /** The published signing keys of the identity service. */
  keys: readonly (JsonWebKey & { kid?: string })[]
  now: number
  /** The passkey that this verifier saw first, by user. */
  pins: Map<string, string>
}

type Assertion = { publicKey: JsonWebKey; clientDataJSON: string; authenticatorData: string; signature: string }

export type Receipt = {
  iss: string
  aud: string
  sub: string
  jti: string
  exp: number
  txn_hash: string
  authorization_details: { [name: string]: Json }[]
  assertion?: Assertion
}

export class ReceiptRefused extends Error {}

const refuse = (code: string): never => {
  throw new ReceiptRefused(code)
}

const decode = (text: string): Buffer => Buffer.from(text, 'base64url')
const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** Returns the claims. Pins the first passkey of each user. */
export function checkReceipt(receipt: string, rules: ReceiptRules): Receipt {
  const claims = readClaims(receipt, rules)
  if (claims.iss !== rules.issuer || claims.aud !== rules.audience) refuse('RECEIPT_FOR_ANOTHER_SERVICE')
  if (claims.exp * 1000 <= rules.now) refuse('RECEIPT_EXPIRED')
  const { assertion } = claims
  if (!assertion) return refuse('RECEIPT_WITHOUT_PASSKEY')
  checkAssertion(claims, assertion, rules)
  const passkey = thumbprint(assertion.publicKey)
  if ((rules.pins.get(claims.sub) ?? passkey) !== passkey) refuse('RECEIPT_OF_ANOTHER_PASSKEY')
  rules.pins.set(claims.sub, passkey)
  return claims
}

function readClaims(receipt: string, { keys }: ReceiptRules): Receipt {
  const [head = '', body = '', signature = ''] = receipt.split('.')
  try {
    const { alg, typ, kid } = JSON.parse(decode(head).toString()) as Record<string, string>
    const key = keys.find((candidate) => candidate.kid === kid)
    if (alg !== 'ES256' || typ !== 'confirmation+jwt' || !key) return refuse('RECEIPT_INVALID')
    const publicKey = createPublicKey({ key, format: 'jwk' })
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      decode(signature),
    )
    return isSigned ? (JSON.parse(decode(body).toString()) as Receipt) : refuse('RECEIPT_INVALID')
  } catch {
    return refuse('RECEIPT_INVALID')
  }
}

function checkAssertion(claims: Receipt, { publicKey, ...assertion }: Assertion, { origin, rpId }: ReceiptRules): void {
  const { authorization_details, sub, sid, nonce, exp } = claims as unknown as Record<string, Json>
  const signed = canonicalize({ authorization_details, sub, sid, nonce, exp } as Json)
  const challenge = sha256(`floorpass-tx-v1\0${signed}`).toString('base64url')
  const client = JSON.parse(decode(assertion.clientDataJSON).toString()) as Record<string, unknown>
  if (claims.txn_hash !== challenge || client.challenge !== challenge) refuse('RECEIPT_FOR_ANOTHER_TRANSACTION')
  const data = decode(assertion.authenticatorData)
  if (client.origin !== origin || client.type !== 'webauthn.get' || client.crossOrigin === true) refuse('RECEIPT_OF_ANOTHER_SITE')
  if (!data.subarray(0, 32).equals(sha256(rpId))) refuse('RECEIPT_OF_ANOTHER_SITE')
  if (((data[32] ?? 0) & 0x05) !== 0x05) refuse('RECEIPT_WITHOUT_USER_VERIFICATION')
  const key = createPublicKey({ key: publicKey, format: 'jwk' })
  const bytes = Buffer.concat([data, sha256(decode(assertion.clientDataJSON))])
  if (!verify('sha256', bytes, key, decode(assertion.signature))) refuse('RECEIPT_WITHOUT_PASSKEY')
}

/** RFC 7638. */
const thumbprint = ({ crv, kty, x, y }: JsonWebKey): string =>
  sha256(canonicalize({ crv, kty, x, y } as Json)).toString('base64url')

/** RFC 8785, for text, whole numbers, true, false, null, lists and objects. */
function canonicalize(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`).join(',')}}`
}
