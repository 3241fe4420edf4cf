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

type SealedRow = { id: string; sealed: string | null }
type SealedColumn = {
  what: string
  placeOf(id: string): SealedPlace
  readAfter(id: string): Promise<SealedRow[]>
  /** Replaces only the value that was read: nodes may reseal at the same time. */
  replace(id: string, sealed: string, renewed: string): Promise<{ count: number }>
}

export function createSecretResealer({
  db,
  secretBox,
  log,
  batchSize = policy.reseal.batchSize,
  after = policy.reseal.after,
}: SecretResealerOptions): SecretResealer {
  const columns = sealedColumns(db, batchSize)
  let running: Promise<unknown> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function reseal(): Promise<number> {
    let total = 0
    for (const column of columns) total += await resealColumn(column)
    return total
  }

  async function resealColumn({ what, placeOf, readAfter, replace }: SealedColumn): Promise<number> {
    let resealed = 0
    let unopened = 0
    for (let last = '', rows = await readAfter(last); rows.length > 0 && !stopped; rows = await readAfter(last)) {
      for (const { id, sealed } of rows) {
        last = id
        if (stopped) break
        if (sealed === null || secretBox.isCurrent(sealed)) continue
        const renewed = sealAgain(sealed, placeOf(id))
        if (renewed === null) unopened += 1
        else resealed += (await replace(id, sealed, renewed)).count
      }
    }
    if (resealed > 0) log.info({ what, count: resealed }, 'sealed values resealed')
    if (unopened > 0) log.warn({ what, count: unopened }, 'sealed values cannot be opened')
    return resealed
  }

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
      .catch((err) => log.error({ err }, 'resealing failed'))
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

function sealedColumns(db: Database, take: number): SealedColumn[] {
  const page = (id: string) => ({ where: { id: { gt: id } }, orderBy: { id: 'asc' }, take }) as const
  return [
    {
      what: 'two-factor secrets',
      placeOf: (id) => ['two_factors.secret_sealed', id],
      readAfter: async (last) => {
        const rows = await db.twoFactor.findMany({ where: { userId: { gt: last } }, orderBy: { userId: 'asc' }, take })
        return rows.map(({ userId, secretSealed }) => ({ id: userId, sealed: secretSealed }))
      },
      replace: (userId, secretSealed, renewed) =>
        db.twoFactor.updateMany({ where: { userId, secretSealed }, data: { secretSealed: renewed } }),
    },
    {
      what: 'phrases',
      placeOf: (id) => ['users.phrase_sealed', id],
      readAfter: async (last) => {
        const where = { id: { gt: last }, phraseSealed: { not: null } }
        const rows = await db.user.findMany({ ...page(last), where, select: { id: true, phraseSealed: true } })
        return rows.map(({ id, phraseSealed }) => ({ id, sealed: phraseSealed }))
      },
      replace: (id, phraseSealed, renewed) =>
        db.user.updateMany({ where: { id, phraseSealed }, data: { phraseSealed: renewed } }),
    },
    {
      what: 'signing keys',
      placeOf: (id) => ['signing_keys.private_key_sealed', id],
      readAfter: async (last) => {
        const rows = await db.signingKey.findMany(page(last))
        return rows.map(({ id, privateKeySealed }) => ({ id, sealed: privateKeySealed }))
      },
      replace: (id, privateKeySealed, renewed) =>
        db.signingKey.updateMany({ where: { id, privateKeySealed }, data: { privateKeySealed: renewed } }),
    },
    {
      what: 'webhook keys',
      placeOf: (id) => ['webhooks.keys_sealed', id],
      readAfter: async (last) => {
        const rows = await db.webhook.findMany(page(last))
        return rows.map(({ id, keysSealed }) => ({ id, sealed: keysSealed }))
      },
      replace: (id, keysSealed, renewed) => db.webhook.updateMany({ where: { id, keysSealed }, data: { keysSealed: renewed } }),
    },
    {
      what: 'former webhook keys',
      placeOf: (id) => ['webhooks.keys_sealed', id],
      readAfter: async (last) => {
        const rows = await db.webhook.findMany(page(last))
        return rows.map(({ id, formerKeysSealed }) => ({ id, sealed: formerKeysSealed }))
      },
      replace: (id, formerKeysSealed, renewed) =>
        db.webhook.updateMany({ where: { id, formerKeysSealed }, data: { formerKeysSealed: renewed } }),
    },
  ]
}
