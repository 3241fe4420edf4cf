import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { CommandError } from './problem.ts'

const batch = 500

/** Users of better-auth, each with its `accounts`: from its PostgreSQL database, a `.json` file (a list) or one user a line. */
export function readUsers(source: string): AsyncIterable<unknown> {
  if (/^postgres(ql)?:\/\//.test(source)) return fromPostgres(source)
  return source.endsWith('.json') ? fromJson(source) : fromLines(source)
}

async function* fromJson(file: string): AsyncGenerator<unknown> {
  const users: unknown = parse(await readFile(file, 'utf8').catch(unreadable(file)), file)
  if (!Array.isArray(users)) throw notUsers(file, 'It holds no list.')
  yield* users
}

async function* fromLines(file: string): AsyncGenerator<unknown> {
  const stream = createReadStream(file, 'utf8')
  let number = 0
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1
      if (line.trim() !== '') yield parse(line, `${file}, line ${number}`)
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreadable(file)(error)
  }
}

/** One snapshot, read only: what changes there meanwhile is not half seen. Tables and columns by the names better-auth gives them. */
async function* fromPostgres(url: string): AsyncGenerator<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
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
    throw new CommandError({
      what: 'The database of better-auth could not be read.',
      why: (error as Error).message,
      fix: 'Check the URL, and that its tables are named "user" and account with better-auth\'s own column names; else import from a file.',
    })
  } finally {
    await client.end().catch(() => {})
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notUsers(where, 'It is no JSON.')
  }
}

const notUsers = (where: string, why: string): CommandError =>
  new CommandError({
    what: `${where} could not be read as users.`,
    why,
    fix: 'Use a .json file with a list of users, or a file with one user a line; docs/operations.md says how to make one. What was imported before stays: run it again.',
  })

const unreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new CommandError({
      what: `${file} cannot be read.`,
      why: (error as Error).message,
      fix: 'Check the path and its rights.',
    })
  }
