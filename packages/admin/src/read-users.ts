import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createPostgresClient, explainDatabaseFailure, PostgresUrlError } from '@floorpass/api/administration'
import { CommandError } from './problem.ts'

const batch = 500

/** Reads better-auth users with their `accounts` from PostgreSQL, a `.json` list or a file with one user per line. Throws CommandError. */
export function readUsers(source: string): AsyncIterable<unknown> {
  if (/^postgres(ql)?:\/\//.test(source)) return readPostgres(source)
  return source.endsWith('.json') ? readJson(source) : readLines(source)
}

async function* readJson(file: string): AsyncGenerator<unknown> {
  const users: unknown = parse(await readFile(file, 'utf8').catch(throwUnreadable(file)), file)
  if (!Array.isArray(users)) throw invalidUsersError(file, 'It is not a list.')
  yield* users
}

async function* readLines(file: string): AsyncGenerator<unknown> {
  const stream = createReadStream(file, 'utf8')
  let number = 0
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1
      if (line.trim() !== '') yield parse(line, `${file}, line ${number}`)
    }
  } catch (error) {
    throw error instanceof CommandError ? error : throwUnreadable(file)(error)
  }
}

/** Reads one snapshot, so that concurrent changes are not half visible. Expects better-auth's default table and column names. */
async function* readPostgres(url: string): AsyncGenerator<unknown> {
  const client = new (createClientClass(url))({ connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`
      DECLARE users NO SCROLL CURSOR FOR
      SELECT to_jsonb(u) || jsonb_build_object('accounts', (
        SELECT coalesce(jsonb_agg(to_jsonb(a)), '[]') FROM account a WHERE a."userId" = u.id)) AS row
      FROM "user" u ORDER BY u.id`)
    for (;;) {
      const { rows } = await client.query<{ row: unknown }>(`FETCH ${batch} FROM users`)
      if (rows.length === 0) return
      for (const { row } of rows) yield row
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

const throwUnreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new CommandError({
      what: `${file} cannot be read.`,
      why: (error as Error).message,
      fix: 'Check the path and its permissions.',
    })
  }
