import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what the database must give back in clear: queued mails, provider tokens, two-factor secrets. */
export type SecretBox = {
  seal(text: string): string
  /** Throws when the text was altered, or sealed with a secret that is no longer listed. */
  open(sealed: string): string
}

/** AES-256-GCM under keys derived from AUTH_SECRET: the first secret seals, every listed one opens. */
export function createSecretBox(secrets: readonly string[]): SecretBox {
  const keys = secrets.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'floorpass/secret-box/1', 32))
    return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key }
  })
  const [current] = keys
  if (!current) throw new Error('createSecretBox needs at least one secret')

  return {
    seal(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return ['1', current.id, Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')].join('.')
    },
    open(sealed) {
      const [version, id, data = '', ...more] = sealed.split('.')
      const known = keys.find((candidate) => candidate.id === id)
      if (version !== '1' || !known) throw new Error('sealed with a secret that AUTH_SECRET no longer lists')
      const bytes = Buffer.from(data, 'base64url')
      // The decoder skips what is not of its alphabet: one text would have many spellings.
      if (more.length > 0 || bytes.toString('base64url') !== data) throw new Error('not as it was sealed')
      const decipher = createDecipheriv('aes-256-gcm', known.key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
