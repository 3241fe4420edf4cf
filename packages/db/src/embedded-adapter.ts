import type { Transaction as EmbeddedTransaction, PGlite } from '@electric-sql/pglite'
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils'
import { PrismaPGlite } from 'pglite-prisma-adapter'

/** Prisma on PGlite. Replaces three faults of the package: a failed COMMIT succeeds, a failed ROLLBACK is unhandled, scripts do not wait. */
export const embeddedAdapter = (client: PGlite): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: 'floorpass-embedded',
  connect: async () => {
    const adapter = await connectAdapter(client)
    return Object.assign(adapter, {
      startTransaction: () => startTransaction(client),
      executeScript: async (script: string) => void (await client.exec(script)),
    })
  },
})

const connectAdapter = (client: PGlite | EmbeddedTransaction): Promise<SqlDriverAdapter> =>
  new PrismaPGlite(client as PGlite).connect()

const startTransaction = (client: PGlite): Promise<Transaction> =>
  new Promise((resolve, reject) => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()

    const settled = client.transaction(async (transaction) => {
      const queryable = await connectAdapter(transaction)
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
