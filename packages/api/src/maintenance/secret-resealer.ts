import type { Database } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'
import type { SealedPlace, SecretBox } from '../kernel/secret-box.ts'

/** Reseals two-factor secrets, phrases, signing keys and the keys of webhooks with the first AUTH_SECRET, so that old secrets can be removed (ADR 029). */
export type SecretResealer = {
  reseal(): Promise<number>
  /** Runs an hour after the start, then hourly until one pass succeeds. */
  start(): void
  stop(): Promise<void>
}

type SecretResealerOptions = { db: Database; secretBox: SecretBox; log: Log; batchSize?: number; after?: number }

/** Nodes may reseal at the same time: each replaces only the value that it read. */
export function createSecretResealer({
  db,
  secretBox,
  log,
  batchSize = policy.reseal.batchSize,
  after = policy.reseal.after,
}: SecretResealerOptions): SecretResealer {
  let running: Promise<unknown> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function reseal(): Promise<number> {
    let resealed = 0
    let unopened = 0
    for (let last = '', rows = await readAfter(last); rows.length > 0 && !stopped; rows = await readAfter(last)) {
      for (const { userId, secretSealed } of rows) {
        last = userId
        if (stopped) break
        if (secretBox.isCurrent(secretSealed)) continue
        const renewed = sealAgain(secretSealed, ['two_factors.secret_sealed', userId])
        if (renewed === null) unopened += 1
        else
          resealed += (await db.twoFactor.updateMany({ where: { userId, secretSealed }, data: { secretSealed: renewed } })).count
      }
    }
    if (resealed > 0) log.info({ count: resealed }, 'two-factor secrets resealed')
    if (unopened > 0) log.warn({ count: unopened }, 'two-factor secrets cannot be opened')
    return resealed + (await resealPhrases()) + (await resealSigningKeys()) + (await resealWebhookKeys())
  }

  async function resealPhrases(): Promise<number> {
    let resealed = 0
    for (let last = '', rows = await readPhrases(last); rows.length > 0 && !stopped; rows = await readPhrases(last)) {
      for (const { id, phraseSealed } of rows) {
        last = id
        const isCurrent = phraseSealed === null || secretBox.isCurrent(phraseSealed)
        const renewed = isCurrent ? null : sealAgain(phraseSealed, ['users.phrase_sealed', id])
        if (renewed === null) continue
        resealed += (await db.user.updateMany({ where: { id, phraseSealed }, data: { phraseSealed: renewed } })).count
      }
    }
    if (resealed > 0) log.info({ count: resealed }, 'phrases resealed')
    return resealed
  }

  const readPhrases = (last: string) =>
    db.user.findMany({
      where: { id: { gt: last }, phraseSealed: { not: null } },
      orderBy: { id: 'asc' },
      take: batchSize,
      select: { id: true, phraseSealed: true },
    })

  async function resealWebhookKeys(): Promise<number> {
    let resealed = 0
    for (const { id, keysSealed, formerKeysSealed } of await db.webhook.findMany()) {
      const renew = (sealed: string | null) =>
        sealed === null || secretBox.isCurrent(sealed) ? sealed : (sealAgain(sealed, ['webhooks.keys_sealed', id]) ?? sealed)
      const data = { keysSealed: renew(keysSealed) ?? keysSealed, formerKeysSealed: renew(formerKeysSealed) }
      if (data.keysSealed === keysSealed && data.formerKeysSealed === formerKeysSealed) continue
      resealed += (await db.webhook.updateMany({ where: { id, keysSealed, formerKeysSealed }, data })).count
    }
    if (resealed > 0) log.info({ count: resealed }, 'webhook keys resealed')
    return resealed
  }

  async function resealSigningKeys(): Promise<number> {
    let resealed = 0
    for (const { id, privateKeySealed } of await db.signingKey.findMany()) {
      const renewed = secretBox.isCurrent(privateKeySealed)
        ? null
        : sealAgain(privateKeySealed, ['signing_keys.private_key_sealed', id])
      if (renewed === null) continue
      const data = { privateKeySealed: renewed }
      resealed += (await db.signingKey.updateMany({ where: { id, privateKeySealed }, data })).count
    }
    if (resealed > 0) log.info({ count: resealed }, 'signing keys resealed')
    return resealed
  }

  const readAfter = (last: string) =>
    db.twoFactor.findMany({
      where: { userId: { gt: last } },
      orderBy: { userId: 'asc' },
      take: batchSize,
      select: { userId: true, secretSealed: true },
    })

  function sealAgain(sealed: string, place: SealedPlace): string | null {
    try {
      return secretBox.seal(secretBox.open(sealed, place), place)
    } catch {
      return null
    }
  }

  const run = (): void => {
    running ??= reseal()
      .then(() => clearInterval(timer))
      .catch((err) => log.error({ err }, 'resealing two-factor secrets failed'))
      .finally(() => {
        running = undefined
      })
  }

  return {
    reseal,
    start() {
      timer = setInterval(run, after * 1000).unref()
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
