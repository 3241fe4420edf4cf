import { recordAuditEventIfUserExists } from '../audit-log/audit-log.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { ownerProcedure } from '../trpc.ts'
import { collectPersonalData } from '../users/personal-data.ts'

export const exportData = ownerProcedure.query(async ({ ctx }) => {
  assertReauthenticated(ctx.session)
  const userId = ctx.user.id
  await ctx.limiter.consume('export-data:user', userId)
  const data = await ctx.replica.read((copy) => collectPersonalData(copy, ctx.user))
  await recordAuditEventIfUserExists(ctx.db, ctx.client, { userId, action: 'export-data' })
  return data
})
