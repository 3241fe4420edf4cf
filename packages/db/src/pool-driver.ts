import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { postgresAdapter } from './postgres-adapter.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { createPostgresSql } from './postgres-sql.ts'
import type { TransactionRunner } from './transaction-runner.ts'

/** Prisma, `Sql` and migrations on one pool: the same code for PostgreSQL and the embedded database. */
export const createPoolDriver = ({ pool, keepsStatements }: ConnectionPool) => {
  const nameStatement = createStatementNamer()
  return {
    adapter: postgresAdapter(
      new PrismaPg(pool, {
        statementNameGenerator: ({ sql, args }) =>
          (keepsStatements() && args.length > 0 ? nameStatement(sql) : undefined) as string,
      }),
    ),
    sql: createPostgresSql({ pool, keepsStatements }),
    runInTransaction: createMigrationRunner(pool),
  }
}

/** Each connection keeps every named statement, and Prisma writes one per length of an IN list. */
const mostPrismaStatements = 300

const createStatementNamer = () => {
  const names = new Map<string, string>()
  return (text: string): string | undefined => {
    if (names.size < mostPrismaStatements && !names.has(text)) names.set(text, `prisma_${names.size}`)
    return names.get(text)
  }
}

const migrationTimeout = 60 * 60 * 1000

const createMigrationRunner =
  (pool: pg.Pool): TransactionRunner =>
  async (work) => {
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      await client.query('BEGIN; SET LOCAL statement_timeout = 0')
      const result = await work({
        query: async <Row>(sql: string, values?: unknown[]) => (await client.query(sql, values)).rows as Row[],
        script: (sql) => client.query({ text: sql, query_timeout: migrationTimeout } as pg.QueryConfig),
      })
      await client.query('COMMIT')
      return result
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // After a failure this closes the connection, and the server rolls back.
      client.release(failure)
    }
  }
