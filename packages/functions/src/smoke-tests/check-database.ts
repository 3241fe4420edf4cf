import type { Database } from '@floorpass/db'
import { CheckFailure } from './attempt.ts'
import type { Check } from './smoke-tests.ts'

/** Ends a transaction without a trace. */
class Undo extends Error {}

/** What the service needs of its database: an answer, a write that holds inside its transaction, and the same time. */
export const checkDatabase = (db: Database, clockTolerance: number): Check[] => [
  {
    title: 'answers',
    async run() {
      await db.$queryRaw`SELECT 1`
      return undefined
    },
  },
  {
    title: 'writes in a transaction, and takes it back',
    async run() {
      let id = ''
      const work = db.$transaction(async (tx) => {
        const row = await tx.queuedMail.create({ data: { mailSealed: '', nextAttemptAt: null } })
        id = row.id
        if ((await tx.queuedMail.count({ where: { id } })) !== 1) throw new CheckFailure('What was written is not there')
        throw new Undo()
      })
      await work.catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
      if ((await db.queuedMail.count({ where: { id } })) !== 0) throw new CheckFailure('What was taken back is still there')
      return undefined
    },
  },
  {
    title: `its clock is within ${clockTolerance} s of ours`,
    async run() {
      const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
      const skewMs = (row?.now.getTime() ?? Number.NaN) - Date.now()
      if (!(Math.abs(skewMs) <= clockTolerance * 1000)) throw new CheckFailure(`It is ${Math.round(skewMs / 1000)} s off`)
      return { skewMs }
    },
  },
]
