import { collectPersonalData } from '../personal-data.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
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
