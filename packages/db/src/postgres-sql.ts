import pg from 'pg'
import { findSqlState } from './failures.ts'
import { transactionAborted, transactionTimedOut } from './postgres-adapter.ts'
import { createPipeline, type Statement } from './postgres-pipeline.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { getStatement, type Queryable, readTimestamp, type Sql, timestampType, toParameter } from './sql.ts'

/** `Sql` on a pool. Transactions are pipelined. */
export const createPostgresSql = ({ pool, keepsStatements }: ConnectionPool): Sql => {
  const createQueryable = (run: (statement: Statement) => Promise<unknown[]>): Queryable => ({
    $queryRaw: async <Rows>(template: TemplateStringsArray, ...values: unknown[]) => {
      const { text, name } = getStatement(template)
      return run({ text, values: values.map(toParameter), types, ...(keepsStatements() && { name }) }) as Promise<Rows>
    },
  })

  return {
    ...createQueryable(async (statement) => (await pool.query(statement)).rows),
    async transaction(work) {
      const client = await pool.connect()
      const deadline = performance.now() + longestTransaction
      const assertInTime = (): void => {
        if (performance.now() > deadline) throw transactionTimedOut()
      }
      const { query, close } = createPipeline(client)
      const { $queryRaw } = createQueryable(query)
      let hasBegun = false
      const begin = () => {
        // When BEGIN fails, every statement of its batch fails with the same error.
        if (!hasBegun) $queryRaw`BEGIN`.catch(() => {})
        hasBegun = true
      }
      try {
        const result = await work({
          $queryRaw: async <Rows>(statement: TemplateStringsArray, ...values: unknown[]) => {
            assertInTime()
            begin()
            return $queryRaw<Rows>(statement, ...values)
          },
        })
        assertInTime()
        if (!close()) throw transactionAborted()
        if (hasBegun && (await client.query('COMMIT')).command !== 'COMMIT') throw transactionAborted()
        client.release()
        return result
      } catch (error) {
        close()
        // If ROLLBACK succeeds the connection is healthy and returns to the pool. Otherwise closing it rolls back.
        const rollback = isUnusable(error) ? Promise.reject(error) : client.query('ROLLBACK')
        await rollback.then(
          () => client.release(),
          (failure: Error) => client.release(failure),
        )
        throw error
      }
    },
  }
}

/** The same as Prisma's timeout in `client.ts`: an abandoned transaction must not keep its locks. */
const longestTransaction = 15_000

/** The connection still runs a timed-out statement, or holds a prepared one that a migration broke (ADR 024). */
const isUnusable = (error: unknown): boolean =>
  (error instanceof Error && (error.message === 'Query read timeout' || (error as NodeJS.ErrnoException).code === 'P2028')) ||
  ['0A000', '26000'].includes(findSqlState(error) ?? '')

const types: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: 'text' | 'binary') =>
    type === timestampType && format !== 'binary'
      ? readTimestamp
      : pg.types.getTypeParser(type, format as 'text')) as typeof pg.types.getTypeParser,
}
