import { policy } from '../kernel/policy.ts'
import { publicProcedure, sessionProcedure } from '../trpc.ts'
import { hasUsablePasskey } from '../users/sign-in-methods.ts'
import { countBackupCodes } from './backup-codes.ts'
import { findChallenge, getFirstFactor } from './challenge.ts'
import { findTwoFactorMethods } from './two-factor-methods.ts'

export const getTwoFactor = sessionProcedure.query(async ({ ctx }) => {
  const userId = ctx.user.id
  const factor = await ctx.db.twoFactor.findUnique({ where: { userId } })
  const hasPassword = (await ctx.db.account.count({ where: { userId, passwordHash: { not: null } } })) > 0
  const hasPasskey = await hasUsablePasskey(ctx, ctx.db, userId)
  return {
    isEnabled: ctx.user.twoFactorEnabled,
    hasTotp: factor?.confirmedAt != null,
    /** An app that has not confirmed its first code. `getTotpUri` shows its key again. */
    hasPendingTotp: factor?.confirmedAt === null,
    enabledAt: ctx.user.twoFactorEnabled ? (factor?.confirmedAt ?? null) : null,
    backupCodesLeft: await countBackupCodes(ctx.db, userId),
    hasPassword,
    hasPasskey,
  }
})

/** Null without a challenge. One whose attempts are used up stays until the next code is sent. */
export const getChallenge = publicProcedure.query(async ({ ctx }) => {
  const challenge = await findChallenge(ctx, ctx.db)
  if (!challenge) return null
  const attemptsLeft = Math.max(0, policy.twoFactor.attemptsPerChallenge - challenge.attempts)
  const methods = await findTwoFactorMethods(ctx, ctx.db, challenge.user.id, getFirstFactor(challenge.intent))
  return { attemptsLeft, expiresAt: challenge.expiresAt, methods }
})
