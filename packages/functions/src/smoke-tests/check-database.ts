import type { Database } from '@floorpass/db'
import { CheckFailure } from './attempt.ts'
import type { Check } from './check.ts'

class Rollback extends Error {}

export const checkDatabase = (db: Database, clockTolerance: number): Check[] => [
  {
    title: 'answers',
    async run() {
      await db.$queryRaw`SELECT 1`
      return undefined
    },
  },
  {
    title: 'writes in a transaction and rolls it back',
    async run() {
      let id = ''
      const work = db.$transaction(async (tx) => {
        const row = await tx.queuedMail.create({ data: { mailSealed: '', nextAttemptAt: null } })
        id = row.id
        if ((await tx.queuedMail.count({ where: { id } })) !== 1) throw new CheckFailure('The written row is missing')
        throw new Rollback()
      })
      await work.catch((error: unknown) => {
        if (!(error instanceof Rollback)) throw error
      })
      if ((await db.queuedMail.count({ where: { id } })) !== 0) throw new CheckFailure('The rolled-back row is still there')
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
