import { lockUser } from '../users/lock-user.ts'
import { collectPersonalData } from '../users/personal-data.ts'
import { type Operator, requireUser, toActor } from './operator.ts'

export async function exportUser(operator: Operator, identifier: string) {
  const { db, replica, record } = operator.ctx
  const user = await requireUser(operator, identifier)
  const data = await replica.read((copy) => collectPersonalData(copy, user))
  await db.$transaction(async (tx) => {
    if (await lockUser(tx, user.id)) await record(tx, { userId: user.id, ...toActor(operator), action: 'export-data' })
  })
  return data
}
