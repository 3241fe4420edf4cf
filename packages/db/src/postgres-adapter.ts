import type { PrismaPg } from '@prisma/adapter-pg'
import { DriverAdapterError, type SqlDriverAdapterFactory, type SqlQuery } from '@prisma/driver-adapter-utils'
import type { PoolClient } from 'pg'

/**
 * PostgreSQL answers COMMIT with ROLLBACK when a statement had failed and its error was swallowed. Prisma's adapter takes that
 * for success; ours fails, as the embedded one does, rather than acknowledge what was never stored.
 */
export const postgresAdapter = (factory: PrismaPg): SqlDriverAdapterFactory => ({
  provider: factory.provider,
  adapterName: factory.adapterName,
  connect: async () => {
    const adapter = await factory.connect()
    const startTransaction = adapter.startTransaction.bind(adapter)
    return Object.assign(adapter, {
      startTransaction: async (...args: Parameters<typeof startTransaction>) => {
        const transaction = await startTransaction(...args)
        const executeRaw = transaction.executeRaw.bind(transaction)
        const { client } = transaction as unknown as { client: PoolClient }
        return Object.assign(transaction, {
          executeRaw: async (query: SqlQuery) => {
            if (query.sql !== 'COMMIT') return executeRaw(query)
            const { command } = await client.query('COMMIT')
            if (command !== 'COMMIT') throw transactionAborted()
            return 0
          },
        })
      },
    })
  },
})

/** What the end of such a transaction is told as. */
export const transactionAborted = () => {
  const message = 'Transaction was rolled back instead of committed'
  return new DriverAdapterError({
    kind: 'postgres',
    originalCode: '25P02',
    originalMessage: message,
    code: '25P02',
    severity: 'ERROR',
    message,
    detail: undefined,
    column: undefined,
    hint: undefined,
  })
}

/** What Prisma's fail with when their time is over. */
export const transactionTimedOut = () => Object.assign(new Error('Transaction took too long'), { code: 'P2028' })
