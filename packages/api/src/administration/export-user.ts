import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { lockUser } from '../users/lock-user.ts'
import { collectPersonalData } from '../users/personal-data.ts'
import { actorOf, type Operator, requireUser } from './operator.ts'

/** Everything held on one user, as their own export has it. USER_NOT_FOUND. */
export async function exportUser(operator: Operator, who: string) {
  const { db, client } = operator.ctx
  const user = await requireUser(operator, who)
  const data = await collectPersonalData(db, user)
  await db.$transaction(async (tx) => {
    if (await lockUser(tx, user.id))
      await recordAuditEvent(tx, client, { userId: user.id, ...actorOf(operator), action: 'export-data' })
  })
  return data
}
