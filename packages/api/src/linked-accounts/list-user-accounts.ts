import { sessionProcedure } from '../trpc.ts'

export const listUserAccounts = sessionProcedure.query(async ({ ctx }) => {
  const accounts = await ctx.db.account.findMany({
    where: { userId: ctx.user.id, OR: [{ providerId: { not: 'credential' } }, { passwordHash: { not: null } }] },
    orderBy: { createdAt: 'asc' },
  })
  return accounts.map(({ id, accountId, providerId, userId, scopes, lastUsedAt, createdAt, updatedAt }) => ({
    id,
    accountId,
    providerId,
    userId,
    scopes,
    lastUsedAt,
    createdAt,
    updatedAt,
  }))
})
