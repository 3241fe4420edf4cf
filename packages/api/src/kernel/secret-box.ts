import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** A value that is moved to another place does not open (ADR 029). */
export type SealedPlace =
  | readonly [column: 'two_factors.secret_sealed', userId: string]
  | readonly [column: `accounts.${'access' | 'refresh'}_token_sealed`, providerId: string, accountId: string, userId: string]
  | readonly [column: 'verifications.payload_sealed', purpose: string, secretHash: string, userId: string | null]
  | readonly [column: 'queued_mails.mail_sealed', id: string]
  | readonly [column: 'signing_keys.private_key_sealed', id: string]
  | readonly [column: 'users.phrase_sealed', userId: string]
  | readonly [column: 'webhooks.keys_sealed', id: string]
  | readonly [cookie: 'known_device' | 'email']

export type SecretBox = {
  seal(text: string, place: SealedPlace): string
  open(sealed: string, place: SealedPlace): string
  isCurrent(sealed: string): boolean
}

/** AES-256-GCM with keys derived from AUTH_SECRET. The first secret seals; every listed secret opens. */
export function createSecretBox(secrets: readonly string[]): SecretBox {
  const keys = secrets.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'floorpass/secret-box/1', 32))
    return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key }
  })
  const [current] = keys
  if (!current) throw new Error('createSecretBox needs at least one secret')

  return {
    seal(text, place) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(encodePlace(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return ['2', current.id, Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')].join('.')
    },
    open(sealed, place) {
      const [version, id, data = '', ...more] = sealed.split('.')
      const known = keys.find((candidate) => candidate.id === id)
      // Format 1 has no place; a later version drops it (ADR 029).
      if ((version !== '1' && version !== '2') || !known) throw new Error('sealed with a secret that AUTH_SECRET no longer lists')
      const bytes = Buffer.from(data, 'base64url')
      // The decoder skips invalid characters, so different texts could decode to the same bytes.
      if (more.length > 0 || bytes.toString('base64url') !== data) throw new Error('malformed sealed value')
      try {
        const decipher = createDecipheriv('aes-256-gcm', known.key, bytes.subarray(0, 12), { authTagLength: 16 })
        decipher.setAuthTag(bytes.subarray(12, 28))
        if (version === '2') decipher.setAAD(encodePlace(place))
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new Error('altered, or sealed for another place', { cause })
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`2.${current.id}.`),
  }
}

const encodePlace = (place: SealedPlace): Buffer => Buffer.from(JSON.stringify(place))
