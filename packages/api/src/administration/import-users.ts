import { randomUUIDv7 } from 'node:crypto'
import { findSqlState, isDatabaseUnavailable, isUniqueViolation, type Queryable } from '@floorpass/db'
import { lockUsers } from '../users/lock-user.ts'
import { type ImportableUser, identifyRow, parseBetterAuthUser, type RowIdentity } from './better-auth-user.ts'
import { type Operator, toActor } from './operator.ts'
import { createPlannedUsers } from './planned-users.ts'

export type ImportOutcome = RowIdentity & {
  /** `present`: imported earlier. In a dry run, `imported` means that the import would succeed. */
  status: 'imported' | 'present' | 'refused'
  reason?: string
  notes: string[]
}

export type ImportOptions = {
  dryRun: boolean
  withoutTwoFactor: boolean
  /** Gets the outcome of each row in order, when its transaction has ended. */
  onOutcome(outcome: ImportOutcome): void
}

export type UserImport = {
  /** Imports rows in order, after those of earlier calls, which need not be awaited. */
  add(rows: readonly unknown[]): Promise<void>
  leftBehind: ReadonlyMap<string, number>
  /** Estimates the import from the writes of a dry run of `seconds`. Null when it wrote nothing. */
  estimateSeconds(seconds: number, imported: number): number | null
  close(): void
}

type Row = RowIdentity & ({ reason: string } | { user: ImportableUser })

/** Rows of a transaction. Its time is bounded: a sign-up with the address of a row waits until the transaction ends. */
const mostRows = 1000
const fewestRows = 20
const longestMilliseconds = 250

/** A dry run writes this many users and rolls back, to try the privileges and to measure. */
const trialUsers = 3000

const mostKinds = 200

export function createUserImport(operator: Operator, { dryRun, withoutTwoFactor, onOutcome }: ImportOptions): UserImport {
  const { sql } = operator.ctx
  const planned = dryRun ? createPlannedUsers() : null
  const written = { users: 0, milliseconds: 0 }
  let busyMilliseconds = 0
  const leftBehind = new Map<string, number>()
  let size = mostRows

  const leaveBehind = (kind: string, count = 1): void => {
    // A file names kinds, so their number needs a limit.
    const counted = leftBehind.has(kind) || leftBehind.size < mostKinds ? kind : 'other fields'
    leftBehind.set(counted, (leftBehind.get(counted) ?? 0) + count)
  }

  const parse = (row: unknown): Row => {
    const result = parseBetterAuthUser(row, { withoutTwoFactor, leaveBehind })
    return 'user' in result ? { id: result.user.id, email: result.user.email, ...result } : { ...identifyRow(row), ...result }
  }

  let queue: Promise<void> = Promise.resolve()
  const add = (rows: readonly unknown[]): Promise<void> => {
    const parsed = rows.map(parse)
    queue = queue.then(() => importInBatches(parsed))
    return queue
  }

  async function importInBatches(parsed: readonly Row[]): Promise<void> {
    for (let next = 0; next < parsed.length; ) {
      const batch = parsed.slice(next, next + size)
      next += batch.length
      const start = performance.now()
      await importBatch(batch)
      const milliseconds = performance.now() - start
      busyMilliseconds += milliseconds
      if (milliseconds > longestMilliseconds) size = Math.max(fewestRows, size >> 1)
      else if (milliseconds < longestMilliseconds / 3) size = Math.min(mostRows, size << 1)
    }
  }

  /** One transaction. Rows that the database refuses, and rows taken by a concurrent sign-up, are isolated by halving. */
  async function importBatch(rows: readonly Row[]): Promise<void> {
    try {
      for (const outcome of await retryDeadlocks(() => importInTransaction(rows))) onOutcome(outcome)
    } catch (error) {
      const [row] = rows
      if (row === undefined || !isRefusal(error)) throw error
      if (rows.length > 1) {
        const half = rows.length >> 1
        await importBatch(rows.slice(0, half))
        return importBatch(rows.slice(half))
      }
      const reason = isUniqueViolation(error)
        ? 'The email address or an identity was taken during the import'
        : `The database refused the row (${findSqlState(error)})`
      onOutcome(refuse(row, reason))
    }
  }

  async function importInTransaction(rows: readonly Row[]): Promise<ImportOutcome[]> {
    const trial = new TrialRun()
    let result: Decisions | undefined
    try {
      await sql.transaction(async (tx) => {
        // Two imports take turns, so neither sees half of the other's rows. Plans must follow the growing tables.
        const [, taken] = await Promise.all([
          tx.$queryRaw`
            SELECT set_config('plan_cache_mode', 'force_custom_plan', true), pg_advisory_xact_lock(hashtext('floorpass import'))`,
          findTaken(tx, rows),
        ])
        result = decide(rows, taken)
        if (dryRun && written.users >= trialUsers) return
        await insert(tx, result)
        if (dryRun) throw trial
      })
    } catch (error) {
      if (error !== trial) throw error
    }
    const { users, outcomes } = result as Decisions
    if (planned) for (const user of users) planned.add(user)
    return outcomes
  }

  async function findTaken(tx: Queryable, rows: readonly Row[]): Promise<Taken> {
    const users = rows.flatMap((row) => ('user' in row ? [row.user] : []))
    const identities = users.flatMap(({ accounts }) => accounts)
    const [known, accounts] = await Promise.all([
      tx.$queryRaw<Holder[]>`
        SELECT id, email, NOT email_verified AND suspended_at IS NULL AND imported_at IS NULL AS "isReplaceable"
        FROM users WHERE id = ANY(${users.map(({ id }) => id)}) OR email = ANY(${users.map(({ email }) => email)})`,
      tx.$queryRaw<Identity[]>`
        SELECT provider_id AS "providerId", account_id AS "accountId" FROM accounts
        WHERE (provider_id, account_id) IN (SELECT * FROM unnest(${identities.map(({ providerId }) => providerId)}::text[],
                                                                 ${identities.map(({ accountId }) => accountId)}::text[]))`,
    ])
    return {
      emailOf: new Map(known.map(({ id, email }) => [id, email])),
      holderOf: new Map(known.map((holder) => [holder.email, holder])),
      identities: new Set(accounts.map(toKey)),
    }
  }

  function decide(rows: readonly Row[], taken: Taken): Decisions {
    const decisions: Decisions = { users: [], replaced: [], outcomes: [] }
    for (const row of rows) decisions.outcomes.push(decideRow(row, taken, decisions))
    return decisions
  }

  function decideRow(row: Row, { emailOf, holderOf, identities }: Taken, { users, replaced }: Decisions): ImportOutcome {
    if ('reason' in row) return refuse(row, row.reason)
    const { user } = row
    const { id, email, accounts, notes } = user
    const knownEmail = emailOf.get(id) ?? planned?.findEmail(id)
    if (knownEmail !== undefined)
      return knownEmail === email
        ? { id, email, status: 'present', notes: [] }
        : refuse(row, 'A user with this id has another email address')
    if (user.obstacle !== null) return refuse(row, user.obstacle)
    const holder = holderOf.get(email)
    const replaceable = user.emailVerified && holder?.isReplaceable ? holder : undefined
    if (planned?.hasEmail(email) || holder !== replaceable)
      return refuse(row, 'A user of this service has the same email address')
    if (accounts.some((account) => identities.has(toKey(account)) || planned?.hasIdentity(account)))
      return refuse(row, 'A user of this service has one of the identities')

    if (replaceable) replaced.push(replaceable)
    users.push(user)
    emailOf.set(id, email)
    holderOf.set(email, { id, email, isReplaceable: false })
    for (const account of accounts) identities.add(toKey(account))
    return { id, email, status: 'imported', notes }
  }

  async function insert(tx: Queryable, { users, replaced }: Decisions): Promise<void> {
    if (users.length === 0) return
    const start = performance.now()
    const now = new Date()
    if (replaced.length > 0) await deleteSignUps(tx, replaced)
    await Promise.all([
      insertUsers(tx, users, now),
      insertAccounts(tx, users, now),
      operator.ctx.record(
        tx,
        ...users.map(({ id, emailVerified, accounts }) => ({
          userId: id,
          ...toActor(operator),
          action: 'import-user' as const,
          details: { from: 'better-auth', verified: emailVerified, accounts: accounts.length },
        })),
      ),
    ])
    written.users += users.length
    written.milliseconds += performance.now() - start
  }

  return {
    add,
    leftBehind,
    estimateSeconds: (seconds, imported) =>
      written.users === 0
        ? null
        : Math.max(seconds, (busyMilliseconds + ((imported - written.users) * written.milliseconds) / written.users) / 1000),
    close: () => planned?.close(),
  }
}

type Identity = { providerId: string; accountId: string }

/** An unverified sign-up must not block the import of the verified owner: it `isReplaceable`. */
type Holder = { id: string; email: string; isReplaceable: boolean }

type Taken = { emailOf: Map<string, string>; holderOf: Map<string, Holder>; identities: Set<string> }

type Decisions = { users: ImportableUser[]; replaced: Holder[]; outcomes: ImportOutcome[] }

class TrialRun extends Error {}

const refuse = ({ id, email }: RowIdentity, reason: string): ImportOutcome => ({
  id,
  email,
  status: 'refused',
  reason,
  notes: [],
})

const toKey = ({ providerId, accountId }: Identity): string => `${providerId} ${accountId}`

/** SQLSTATE classes 22 and 23: a value or a constraint is the cause. */
const isRefusal = (error: unknown): boolean => /^2[23]/.test(findSqlState(error) ?? '') || isUniqueViolation(error)

async function retryDeadlocks<Result>(work: () => Promise<Result>, tries = 5): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (tries <= 1 || !isDatabaseUnavailable(error) || findSqlState(error) !== '40P01') throw error
    return retryDeadlocks(work, tries - 1)
  }
}

/** Keeps sign-ups that were verified meanwhile: the unique email then refuses the row. */
async function deleteSignUps(tx: Queryable, signUps: readonly Holder[]): Promise<void> {
  const ids = signUps.map(({ id }) => id)
  await lockUsers(tx, ids)
  await tx.$queryRaw`
    DELETE FROM users WHERE id = ANY(${ids}) AND email = ANY(${signUps.map(({ email }) => email)})
      AND NOT email_verified AND suspended_at IS NULL AND imported_at IS NULL`
}

const insertUsers = (tx: Queryable, users: readonly ImportableUser[], now: Date): Promise<unknown> => {
  const rows = users.map(({ accounts, notes, obstacle, isSuspended, ...user }) => ({
    ...user,
    suspendedAt: isSuspended ? now : null,
    createdAt: user.createdAt ?? now,
    updatedAt: user.updatedAt ?? now,
  }))
  return tx.$queryRaw`
    INSERT INTO users (id, name, email, email_verified, image, locale, trading_enabled, risk_level, suspended_at, imported_at,
                       created_at, updated_at)
    SELECT id, name, email, "emailVerified", image, locale, "tradingEnabled", "riskLevel", "suspendedAt", ${now}::timestamp,
           "createdAt", "updatedAt"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(id text, name text, email text, "emailVerified" boolean, image text, locale text, "tradingEnabled" boolean,
             "riskLevel" risk_level, "suspendedAt" timestamp, "createdAt" timestamp, "updatedAt" timestamp)`
}

const insertAccounts = (tx: Queryable, users: readonly ImportableUser[], now: Date): Promise<unknown> => {
  const rows = users.flatMap(({ id: userId, accounts }) =>
    accounts.map(({ createdAt, updatedAt, ...account }) => ({
      ...account,
      id: randomUUIDv7(),
      userId,
      createdAt: createdAt ?? now,
      updatedAt: updatedAt ?? now,
    })),
  )
  return tx.$queryRaw`
    INSERT INTO accounts (id, user_id, provider_id, account_id, password_hash, scopes, created_at, updated_at)
    SELECT id, "userId", "providerId", "accountId", "passwordHash", scopes, "createdAt", "updatedAt"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row(id text, "userId" text, "providerId" text, "accountId" text, "passwordHash" text, scopes text[],
             "createdAt" timestamp, "updatedAt" timestamp)`
}
