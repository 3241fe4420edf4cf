import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox, openPayload } from '@floorpass/api'
import type { Database } from '@floorpass/db'
import { DatabaseNotReadyError } from './database-not-ready.ts'

/** The kept secret cannot be used. The message says what to do. */
export class LocalSecretError extends Error {
  override name = 'LocalSecretError'
}

/** Where it is kept. */
export const localSecretFile = (dataDir: string): string => join(dataDir, 'auth-secret')

/** Tells one secret from another, and nothing about it: 128 bit of a keyed hash. */
export const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret.trim()).update('floorpass/secret-fingerprint/1').digest('base64url').slice(0, 22)

/** Local mode's AUTH_SECRET: made once, kept beside the data it protects. */
export async function localSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  if (!existsSync(file)) await makeSecret(dataDir, file)
  await chmod(file, 0o600)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length >= 43) return secret
  throw new LocalSecretError(
    `The secret in ${file} is empty or cut off, so what it sealed cannot be opened. Restore the file from a backup, or delete it to start with a new one: mails that wait and links that are out are lost then.`,
  )
}

async function makeSecret(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // A name that nobody left behind: in a container every process has the same id.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
  // link() fails when the file exists: two first starts agree on one secret, and none is ever half written.
  await link(draft, file)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    .finally(() => unlink(draft))
}

/** The one that the service made, which stays its own work. */
export async function keptSecret(dataDir: string): Promise<string> {
  const file = localSecretFile(dataDir)
  if (existsSync(file)) return localSecret(dataDir)
  throw new DatabaseNotReadyError(
    `There is no secret in ${file}. Set AUTH_SECRET as the service has it, or start the service once.`,
  )
}

/** The newest of what is sealed tells which secret the service has. */
export async function assertSameSecret(db: Database, secrets: readonly string[]): Promise<void> {
  const newest = { orderBy: { createdAt: 'desc' } } as const
  const [mail, link, factor] = await db.$transaction([
    db.queuedMail.findFirst(newest),
    db.verification.findFirst({ where: { payloadSealed: { not: null } }, ...newest }),
    db.twoFactor.findFirst(newest),
  ])
  const box = createSecretBox(secrets)
  const [last] = [
    mail && { at: mail.createdAt, open: () => box.open(mail.mailSealed, ['queued_mails.mail_sealed', mail.id]) },
    link && { at: link.createdAt, open: () => openPayload({ secretBox: box }, link) },
    factor && { at: factor.createdAt, open: () => box.open(factor.secretSealed, ['two_factors.secret_sealed', factor.userId]) },
  ]
    .filter((row) => row !== null)
    .sort((one, other) => Number(other.at) - Number(one.at))
  if (!last) return
  try {
    last.open()
  } catch {
    throw new DatabaseNotReadyError(
      'What the service sealed last cannot be opened: AUTH_SECRET is another one. Set it as the service has it. If it was changed a moment ago, and nothing was sealed since, add --secret-is-new.',
    )
  }
}
