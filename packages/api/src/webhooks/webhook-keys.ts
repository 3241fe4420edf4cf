import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { SecretBox } from '../kernel/secret-box.ts'

export type WebhookKeys = {
  /** `whsec_…`, which the receiver knows too: signature `v1`. */
  secret: string
  /** Of Ed25519, PKCS #8 in base64: signature `v1a`. */
  privateKey: string
}

const secretPrefix = 'whsec_'

export function createWebhookKeys(): WebhookKeys {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    secret: secretPrefix + randomBytes(32).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  }
}

export const sealKeys = (secretBox: SecretBox, webhookId: string, keys: WebhookKeys): string =>
  secretBox.seal(JSON.stringify(keys), ['webhooks.keys_sealed', webhookId])

export const openKeys = (secretBox: SecretBox, webhookId: string, sealed: string): WebhookKeys =>
  JSON.parse(secretBox.open(sealed, ['webhooks.keys_sealed', webhookId])) as WebhookKeys

/** `whpk_…`: checks the signatures `v1a`. */
export function getPublicKey({ privateKey }: WebhookKeys): string {
  const { x = '' } = createPublicKey(readPrivateKey(privateKey)).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

export function signWebhook(
  allKeys: readonly WebhookKeys[],
  { id, timestamp, body }: Record<'id' | 'timestamp' | 'body', string>,
): string {
  const content = Buffer.from(`${id}.${timestamp}.${body}`)
  return allKeys
    .flatMap(({ secret, privateKey }) => [
      `v1,${createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
        .update(content)
        .digest('base64')}`,
      `v1a,${sign(null, content, readPrivateKey(privateKey)).toString('base64')}`,
    ])
    .join(' ')
}

const readPrivateKey = (base64: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' })
