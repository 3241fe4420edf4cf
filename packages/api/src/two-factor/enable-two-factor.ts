import type { Account, TwoFactor } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { replaceBackupCodes } from './backup-codes.ts'
import { enableTwoFactorInput, getTotpUriInput } from './contract.ts'
import { createTotpSecret, createTotpUri } from './totp.ts'

/** Spec: Two-factor. The first code that `verify` accepts enables the factor. Throws TOTP_ALREADY_ENABLED. */
export const enableTwoFactor = sessionProcedure.input(enableTwoFactorInput).mutation(async ({ ctx, input }) => {
  if (input.method === 'otp') throw new AppError('OTP_NOT_CONFIGURED')
  const account = await reauthenticateForSetup(ctx, input.password)
  const userId = ctx.user.id
  const secret = createTotpSecret()
  const backupCodes = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    if (account) await assertPasswordUnchanged(tx, account)
    await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
    const { count } = await tx.twoFactor.createMany({
      data: { userId, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
      skipDuplicates: true,
    })
    if (count === 0) throw new AppError('TOTP_ALREADY_ENABLED')
    await recordAuditEvent(tx, ctx.client, { userId, action: 'prepare-two-factor' })
    return replaceBackupCodes(tx, userId)
  })
  return { method: 'totp' as const, totpURI: buildTotpUri(ctx, secret), backupCodes }
})

/** Spec: Two-factor. Throws TOTP_ALREADY_ENABLED after the setup and TOTP_NOT_ENABLED without one. */
export const getTotpUri = sessionProcedure.input(getTotpUriInput).mutation(async ({ ctx, input }) => {
  await reauthenticateForSetup(ctx, input.password)
  const factor = await ctx.db.twoFactor.findUnique({ where: { userId: ctx.user.id } })
  if (factor?.confirmedAt) throw new AppError('TOTP_ALREADY_ENABLED')
  if (!factor) throw new AppError('TOTP_NOT_ENABLED')
  return { totpURI: buildTotpUri(ctx, openPendingSecret(ctx, factor)) }
})

async function reauthenticateForSetup(ctx: Context & ActiveSession, password: string | undefined): Promise<Account | null> {
  if (password !== undefined) return confirmPassword(ctx, ctx.user.id, password)
  if (await findPasswordAccount(ctx.db, ctx.user.id)) throw new AppError('INVALID_PASSWORD')
  assertReauthenticated(ctx.session)
  return null
}

function openPendingSecret({ secretBox }: Context, { userId, secretSealed }: TwoFactor): string {
  try {
    return secretBox.open(secretSealed, ['two_factors.secret_sealed', userId])
  } catch (cause) {
    throw new AppError('TOTP_NOT_ENABLED', { cause })
  }
}

const buildTotpUri = ({ settings, user }: Context & ActiveSession, secret: string): string =>
  createTotpUri(secret, { issuer: settings.appName, account: user.email })
