import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createPostgresClient, explainDatabaseFailure, PostgresUrlError, tableKinds } from '@floorpass/api/administration'
import { CommandError, usageError } from './problem.ts'

const batchSize = 1000

const mostListBytes = 128 * 1024 * 1024
const mostLineBytes = 16 * 1024 * 1024

export type UserBatch = {
  rows: unknown[]
  /** The share of the source that has been read, from 0 to 1. */
  fraction: number
  /** Rows of better-auth's other tables, by kind. Only the first batch of a database has them. */
  tables?: Record<string, number>
}

/** Reads better-auth users with their `accounts` from PostgreSQL, a `.json` list or a file with one user per line. Throws CommandError. */
export function readUsers(source: string): AsyncIterable<UserBatch> {
  if (/^postgres(ql)?:\/\//.test(source)) return readPostgres(source)
  // The message of a file that is not there would show its password.
  if (/:\/\/|^\s*postgres(ql)?(:|\/\/)/i.test(source))
    throw usageError('The source is not a URL of PostgreSQL.', 'It must start with postgres:// or postgresql://.')
  return source.endsWith('.json') ? readJson(source) : readLines(source)
}

type PostgresClient = InstanceType<ReturnType<typeof createPostgresClient>>

async function* readJson(file: string): AsyncGenerator<UserBatch> {
  const { size } = await stat(file).catch(throwUnreadable(file))
  if (size > mostListBytes) throw listTooLongError(file)
  const users: unknown = parse(decode(await readFile(file).catch(throwUnreadable(file)), file), file)
  if (!Array.isArray(users)) throw invalidUsersError(file, 'It is not a list.')
  for (let end = 0; end < users.length; ) {
    const rows = users.slice(end, end + batchSize)
    end += rows.length
    yield { rows, fraction: end / users.length }
  }
}

async function* readLines(file: string): AsyncGenerator<UserBatch> {
  const { size } = await stat(file).catch(throwUnreadable(file))
  const stream = createReadStream(file, { highWaterMark: 256 * 1024 })
  const getFraction = (): number => (size === 0 ? 1 : Math.min(1, stream.bytesRead / size))
  let rows: unknown[] = []
  let number = 0
  try {
    for await (const lines of splitLines(stream)) {
      for (const line of lines) {
        number += 1
        const where = `${file}, line ${number}`
        if (line.length > mostLineBytes) throw invalidUsersError(where, `It is longer than ${mostLineBytes / 1024 / 1024} MiB.`)
        const text = decode(line, where)
        if (text.trim() !== '') rows.push(parse(text, where))
        if (rows.length < batchSize) continue
        yield { rows, fraction: getFraction() }
        rows = []
      }
    }
  } catch (error) {
    yield { rows, fraction: getFraction() }
    throw error instanceof CommandError ? error : throwUnreadable(file)(error)
  }
  yield { rows, fraction: 1 }
}

/** `readline` would also split at U+2028, which JSON allows inside a text, and read a line of any length. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = chunk.subarray(start, end)
      lines.push(rest.length === 0 ? line : Buffer.concat([rest, line]))
      rest = Buffer.alloc(0)
      start = end + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > mostLineBytes) lines.push(rest)
    yield lines
  }
  if (rest.length > 0) yield [rest]
}

/** Reads one snapshot, so that concurrent changes are not half visible. Expects better-auth's default table and column names. */
async function* readPostgres(url: string): AsyncGenerator<UserBatch> {
  const client = new (createClientClass(url))({ connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    // With an index on account."userId", this plan has the first rows at once. Without one, PostgreSQL sorts the table.
    await client.query(`
      BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL enable_sort = off; SET LOCAL enable_hashagg = off; SET LOCAL enable_hashjoin = off; SET LOCAL jit = off`)
    const { rows: totals } = await client.query<{ users: string }>('SELECT count(*) AS users FROM "user"')
    yield { rows: [], fraction: 0, tables: await countTables(client) }
    await client.query(`
      DECLARE users NO SCROLL CURSOR FOR
      SELECT to_jsonb(u) || jsonb_build_object('accounts', coalesce(a.accounts, '[]')) AS row
      FROM "user" u
      LEFT JOIN (
        SELECT "userId", jsonb_agg((row - '{accessToken,refreshToken,idToken}'::text[]) || jsonb_build_object(
          'accessToken', row ->> 'accessToken' <> '' OR row ->> 'refreshToken' <> '' OR row ->> 'idToken' <> '')) AS accounts
        FROM account, to_jsonb(account) AS row GROUP BY "userId"
      ) a ON a."userId" = u.id
      ORDER BY u.id`)
    const fetchBatch = () => client.query<{ row: unknown }>(`FETCH ${batchSize} FROM users`)
    const total = Number(totals[0]?.users)
    let read = 0
    let next = fetchBatch()
    for (;;) {
      const { rows } = await next
      if (rows.length === 0) return
      next = fetchBatch()
      next.catch(() => {})
      read += rows.length
      yield { rows: rows.map(({ row }) => row), fraction: Math.min(1, read / total) }
    }
  } catch (error) {
    const failure = explainDatabaseFailure(error)
    throw new CommandError({
      what: 'The database of better-auth could not be read.',
      why: failure ? `${failure.reason}.` : (error as Error).message,
      fix:
        failure?.fix.replaceAll('DATABASE_URL', 'the URL') ??
        'Check the URL, and that the tables "user" and account have better-auth\'s default column names. Otherwise import from a file.',
    })
  } finally {
    await client.end().catch(() => {})
  }
}

function createClientClass(url: string): ReturnType<typeof createPostgresClient> {
  try {
    return createPostgresClient(url)
  } catch (error) {
    if (!(error instanceof PostgresUrlError)) throw error
    const fix = 'Use postgresql://user:password@host:5432/database (docs/postgresql.md).'
    throw new CommandError({ what: 'The database of better-auth could not be read.', why: `Its URL ${error.message}.`, fix })
  }
}

/** Counts the rows of better-auth's other tables, and of tables that refer to its users. A flag of the user counts second factors. */
async function countTables(client: PostgresClient): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string; quoted: string; readable: boolean; estimate: number }>(
    `SELECT relname AS name, oid::regclass::text AS quoted, has_table_privilege(oid, 'SELECT') AS readable,
            greatest(reltuples, 0) AS estimate
     FROM pg_class
     WHERE relkind IN ('r', 'p') AND relname <> ALL ('{user,account,twoFactor,rateLimit}')
       AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '"user"'::regclass)
       AND (relname = ANY ($1) OR EXISTS (
         SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = pg_class.oid AND confrelid = '"user"'::regclass))
     ORDER BY relname`,
    [Object.keys(tableKinds)],
  )
  const counts: Record<string, number> = {}
  for (const { name, quoted, readable, estimate } of tables) {
    const kind = tableKinds[name] ?? `rows of the table ${JSON.stringify(name)}`
    if (!readable) counts[`${kind} (estimated: the role may not read them)`] = estimate
    else {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${quoted}`)
      const count = Number(rows[0]?.count)
      if (count > 0) counts[kind] = (counts[kind] ?? 0) + count
    }
  }
  return counts
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Drops a byte order mark. Without `fatal`, a name in another encoding would be imported with wrong letters. */
function decode(bytes: Uint8Array, where: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidUsersError(where, 'It is not text in UTF-8.')
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidUsersError(where, 'It is not JSON.')
  }
}

const invalidUsersError = (where: string, why: string): CommandError =>
  new CommandError({
    what: `${where} could not be read as users.`,
    why,
    fix: 'Use a .json file with a list of users, or a file with one user per line (see docs/operations.md). Then run it again: imported users stay.',
  })

const listTooLongError = (file: string): CommandError =>
  new CommandError({
    what: `${file} is too long for a list.`,
    why: `A .json list is read into memory at once, and may have ${mostListBytes / 1024 / 1024} MiB.`,
    fix: `Write one user per line, for example with \`jq -c '.[]' ${file} > users.ndjson\`, and import that file.`,
  })

const throwUnreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new CommandError({
      what: `${file} cannot be read.`,
      why: (error as Error).message,
      fix: 'Check the path and its permissions.',
    })
  }
