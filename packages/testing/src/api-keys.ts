import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { Browser } from './browser.ts'
import { serviceKey } from './route-samples.ts'

export type CreatedKey = { id: string; key: string } & Record<string, unknown>

/** A key of the caller. Throws when the service refuses it. */
export async function createApiKey(tab: Pick<Browser, 'post'>, fields: Record<string, unknown> = {}): Promise<CreatedKey> {
  const { status, body } = await tab.post('/auth/api-key/create', { name: 'Bot', ...fields })
  if (status !== 200) throw new Error(`no API key: ${status} ${JSON.stringify(body)}`)
  return body as CreatedKey
}

export type KeyAnswer = {
  valid: boolean
  error: { code: string; message: string; details?: { tryAgainIn: number } } | null
  key: Record<string, unknown> | null
}

/** What a service with a key of SERVICE_KEYS learns. */
export async function askAboutKey(
  service: Pick<Browser, 'post'>,
  input: Record<string, unknown>,
  secret = serviceKey,
): Promise<KeyAnswer> {
  const { status, body } = await service.post('/auth/api-key/verify', input, {
    headers: { authorization: `Bearer ${secret}` },
  })
  if (status !== 200) throw new Error(`no answer about the key: ${status} ${JSON.stringify(body)}`)
  return body as KeyAnswer
}

export const createSigner = (type: 'Ed25519' | 'P-256' = 'Ed25519') =>
  type === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const toPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

type Signing = {
  keyId: string
  privateKey: KeyObject
  method?: string
  url?: string
  body?: string
  created?: number
  expires?: number | null
  nonce?: string
  alg?: string
  /** Instead of the usual parts. One without a value is signed as undefined. */
  covered?: string[]
}

/** A request signed by RFC 9421, as `POST /auth/api-key/verify` takes it. */
export function signRequest({
  keyId,
  privateKey,
  method = 'POST',
  url = 'https://api.example.com/orders?symbol=BTC-EUR',
  body,
  created = Math.floor(Date.now() / 1000),
  expires = created + 5,
  nonce = randomUUID(),
  alg,
  covered = ['@method', '@target-uri', ...(body === undefined ? [] : ['content-digest'])],
}: Signing) {
  const digest = body === undefined ? null : `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const values: Record<string, string | null> = { '@method': method, '@target-uri': url, 'content-digest': digest }
  const until = expires === null ? '' : `;expires=${expires}`
  const names = covered.map((name) => `"${name}"`)
  const parameters = `(${names.join(' ')});created=${created}${until};nonce="${nonce}";keyid="${keyId}"${alg === undefined ? '' : `;alg="${alg}"`}`
  const base = [...covered.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${parameters}`].join('\n')
  const isEd25519 = privateKey.asymmetricKeyType === 'ed25519'
  const signature = isEd25519
    ? sign(null, Buffer.from(base), privateKey)
    : sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    method,
    url,
    headers: {
      signature: `sig1=:${signature.toString('base64')}:`,
      'signature-input': `sig1=${parameters}`,
      ...(digest !== null && { 'content-digest': digest }),
    },
    ...(body !== undefined && { body: Buffer.from(body).toString('base64') }),
  }
}
