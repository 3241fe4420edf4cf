import type { PrismaPg } from '@prisma/adapter-pg'
import { DriverAdapterError, type SqlDriverAdapterFactory, type SqlQuery } from '@prisma/driver-adapter-utils'
import type { PoolClient } from 'pg'

/** Prisma's adapter reports success when PostgreSQL answers COMMIT with ROLLBACK. This one throws: nothing was stored. */
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

export const transactionTimedOut = () => Object.assign(new Error('Transaction took too long'), { code: 'P2028' })
