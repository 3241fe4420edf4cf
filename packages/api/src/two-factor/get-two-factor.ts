import { policy } from '../kernel/policy.ts'
import { publicProcedure, sessionProcedure } from '../trpc.ts'
import { countBackupCodes } from './backup-codes.ts'
import { findChallenge } from './challenge.ts'

export const getTwoFactor = sessionProcedure.query(async ({ ctx }) => {
  const userId = ctx.user.id
  const factor = await ctx.db.twoFactor.findUnique({ where: { userId } })
  const hasPassword = (await ctx.db.account.count({ where: { userId, passwordHash: { not: null } } })) > 0
  return {
    enabledAt: ctx.user.twoFactorEnabled ? (factor?.confirmedAt ?? null) : null,
    backupCodesLeft: await countBackupCodes(ctx.db, userId),
    hasPassword,
  }
})

export const getChallenge = publicProcedure.query(async ({ ctx }) => {
  const challenge = await findChallenge(ctx, ctx.db)
  const attemptsLeft = policy.twoFactor.attemptsPerChallenge - (challenge?.attempts ?? 0)
  return challenge && attemptsLeft > 0 ? { attemptsLeft, expiresAt: challenge.expiresAt } : null
})
