import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox, openPayload } from '@floorpass/api'
import type { Database } from '@floorpass/db'
import { DatabaseNotReadyError } from './database-not-ready.ts'

export class LocalSecretError extends Error {
  override name = 'LocalSecretError'
}

export const localSecretFile = (dataDir: string): string => join(dataDir, 'auth-secret')

/** Identifies a secret without revealing it: 128 bits of a keyed hash. */
export const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret.trim()).update('floorpass/secret-fingerprint/1').digest('base64url').slice(0, 22)

/** Returns local mode's AUTH_SECRET. The first call creates it next to the data. LocalSecretError. */
export async function localSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  if (!existsSync(file)) await createSecret(dataDir, file)
  await chmod(file, 0o600)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length >= 43) return secret
  throw new LocalSecretError(
    `The secret in ${file} is empty or cut off, so the data sealed with it cannot be opened. Restore the file from a backup, or delete it to start with a new secret: queued emails and links already sent are then lost.`,
  )
}

async function createSecret(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // A process id would not be unique: in a container every process may have the same one.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
  // link() fails if the file exists: two concurrent first starts agree on one complete secret.
  await link(draft, file)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    .finally(() => unlink(draft))
}

/** Returns the secret that the service created; never creates one. DatabaseNotReadyError. */
export async function requireLocalSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  if (existsSync(file)) return localSecret(dataDir)
  throw new DatabaseNotReadyError(
    `There is no secret in ${file}. Set AUTH_SECRET to the value of the service, or start the service once.`,
  )
}

/** Asserts that `secrets` open the newest sealed row. DatabaseNotReadyError. */
export async function assertSameSecret(db: Database, secrets: readonly string[]): Promise<void> {
  const newest = { orderBy: { createdAt: 'desc' } } as const
  const last = { orderBy: { id: 'desc' } } as const
  const [mail, link, factor, key] = await db.$transaction([
    db.queuedMail.findFirst(last),
    db.verification.findFirst({ where: { payloadSealed: { not: null } }, ...last }),
    db.twoFactor.findFirst(newest),
    db.signingKey.findFirst(newest),
  ])
  const box = createSecretBox(secrets)
  const [newestRow] = [
    mail && { at: mail.createdAt, open: () => box.open(mail.mailSealed, ['queued_mails.mail_sealed', mail.id]) },
    link && { at: link.createdAt, open: () => openPayload({ secretBox: box }, link) },
    factor && { at: factor.createdAt, open: () => box.open(factor.secretSealed, ['two_factors.secret_sealed', factor.userId]) },
    key && { at: key.createdAt, open: () => box.open(key.privateKeySealed, ['signing_keys.private_key_sealed', key.id]) },
  ]
    .filter((row) => row !== null)
    .sort((one, other) => Number(other.at) - Number(one.at))
  if (!newestRow) return
  try {
    newestRow.open()
  } catch {
    throw new DatabaseNotReadyError(
      'AUTH_SECRET does not open the data that the service sealed last. Set it to the value of the service. If you have just changed it, and the service has sealed nothing since, add --secret-is-new.',
    )
  }
}
