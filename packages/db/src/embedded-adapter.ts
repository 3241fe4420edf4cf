import type { Transaction as EmbeddedTransaction, PGlite } from '@electric-sql/pglite'
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils'
import { PrismaPGlite } from 'pglite-prisma-adapter'

/**
 * Prisma on PGlite. The package's own transactions report success when COMMIT failed, and leave a failed ROLLBACK
 * unhandled; its scripts do not wait. Those three are ours, the rest is the package's.
 */
export const embeddedAdapter = (client: PGlite): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: 'floorpass-embedded',
  connect: async () => {
    const adapter = await queryableOn(client)
    return Object.assign(adapter, {
      startTransaction: () => startTransaction(client),
      executeScript: async (script: string) => void (await client.exec(script)),
    })
  },
})

const queryableOn = (client: PGlite | EmbeddedTransaction): Promise<SqlDriverAdapter> =>
  new PrismaPGlite(client as PGlite).connect()

const startTransaction = (client: PGlite): Promise<Transaction> =>
  new Promise((resolve, reject) => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()

    const settled = client.transaction(async (transaction) => {
      const queryable = await queryableOn(transaction)
      const run = (sql: string) => transaction.exec(sql).then(() => undefined)

      resolve({
        provider: queryable.provider,
        adapterName: queryable.adapterName,
        options: { usePhantomQuery: true },
        queryRaw: (query) => queryable.queryRaw(query),
        executeRaw: (query) => queryable.executeRaw(query),
        createSavepoint: (name) => run(`SAVEPOINT ${name}`),
        rollbackToSavepoint: (name) => run(`ROLLBACK TO SAVEPOINT ${name}`),
        releaseSavepoint: (name) => run(`RELEASE SAVEPOINT ${name}`),
        commit: () => {
          finish()
          return settled
        },
        rollback: async () => {
          try {
            await transaction.rollback()
          } finally {
            finish()
          }
          await settled
        },
      })
      await finished
    })
    settled.catch(reject)
  })
