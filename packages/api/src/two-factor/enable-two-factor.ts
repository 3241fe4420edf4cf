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
import { createTotpSecret, totpUri } from './totp.ts'

/**
 * Prepares a second factor: a secret for an authenticator and ten backup codes, each shown here and never again. Spec: Two-factor.
 * Nothing is asked at sign-in before `verify` has seen the first code; asked again until then, it makes new ones. The password
 * is the proof, or a recent reauthentication where there is none. INVALID_PASSWORD, SESSION_NOT_FRESH, TOTP_ALREADY_ENABLED,
 * OTP_NOT_CONFIGURED.
 */
export const enableTwoFactor = sessionProcedure.input(enableTwoFactorInput).mutation(async ({ ctx, input }) => {
  if (input.method === 'otp') throw new AppError('OTP_NOT_CONFIGURED')
  const account = await proveForSetUp(ctx, input.password)
  const userId = ctx.user.id
  const secret = createTotpSecret()
  const backupCodes = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    if (account) await assertPasswordUnchanged(tx, account)
    // A factor that counts is never replaced in silence.
    await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
    const { count } = await tx.twoFactor.createMany({
      data: { userId, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
      skipDuplicates: true,
    })
    if (count === 0) throw new AppError('TOTP_ALREADY_ENABLED')
    await recordAuditEvent(tx, ctx.client, { userId, action: 'prepare-two-factor' })
    return replaceBackupCodes(tx, userId)
  })
  return { method: 'totp' as const, totpURI: uriFor(ctx, secret), backupCodes }
})

/**
 * The URI of a set-up that is not finished, for a page that lost it. Spec: Two-factor. The same proof as `enable`. A factor that
 * counts keeps its secret: TOTP_ALREADY_ENABLED. Without a set-up, or with a secret that cannot be opened: TOTP_NOT_ENABLED.
 */
export const getTotpUri = sessionProcedure.input(getTotpUriInput).mutation(async ({ ctx, input }) => {
  await proveForSetUp(ctx, input.password)
  const factor = await ctx.db.twoFactor.findUnique({ where: { userId: ctx.user.id } })
  if (factor?.confirmedAt) throw new AppError('TOTP_ALREADY_ENABLED')
  if (!factor) throw new AppError('TOTP_NOT_ENABLED')
  return { totpURI: uriFor(ctx, openUnfinished(ctx, factor)) }
})

async function proveForSetUp(ctx: Context & ActiveSession, password: string | undefined): Promise<Account | null> {
  if (password !== undefined) return confirmPassword(ctx, ctx.user.id, password)
  if (await findPasswordAccount(ctx.db, ctx.user.id)) throw new AppError('INVALID_PASSWORD')
  assertReauthenticated(ctx.session)
  return null
}

function openUnfinished({ secretBox }: Context, { userId, secretSealed }: TwoFactor): string {
  try {
    return secretBox.open(secretSealed, ['two_factors.secret_sealed', userId])
  } catch (cause) {
    throw new AppError('TOTP_NOT_ENABLED', { cause })
  }
}

const uriFor = ({ settings, user }: Context & ActiveSession, secret: string): string =>
  totpUri(secret, { issuer: settings.appName, account: user.email })
