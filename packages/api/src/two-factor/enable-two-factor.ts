import type { Account, TwoFactor } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { customMutation, mutation } from '../mutation.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import type { GuessContext } from '../password-guesses/password-guesses.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { replaceBackupCodes } from './backup-codes.ts'
import { enableTwoFactorInput, getTotpUriInput } from './contract.ts'
import { createTotpSecret, createTotpUri } from './totp.ts'

/** Spec: Two-factor. The first code that `verifyTwoFactor` accepts enables the factor. Throws TOTP_ALREADY_ENABLED. */
export const enableTwoFactor = mutation({
  access: 'session',
  input: enableTwoFactorInput,
  limit: null,
  events: ['prepare-two-factor', 'pause-password'],
  mails: ['password-paused'],
  cookies: [],

  prepare({ ctx, input: { method, password } }) {
    if (method === 'otp') throw new AppError('OTP_NOT_CONFIGURED')
    return reauthenticateForSetup(ctx, password)
  },
  lock: 'caller',
  async change(tx, { ctx, prepared: account }) {
    const userId = ctx.user.id
    const secret = createTotpSecret()
    if (account) await assertPasswordUnchanged(tx, account)
    await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
    const { count } = await tx.twoFactor.createMany({
      data: { userId, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
      skipDuplicates: true,
    })
    if (count === 0) throw new AppError('TOTP_ALREADY_ENABLED')
    const backupCodes = await replaceBackupCodes(tx, userId)
    return {
      events: [{ action: 'prepare-two-factor' }],
      result: { method: 'totp' as const, totpURI: buildTotpUri(ctx, secret), backupCodes },
    }
  },
})

/** Spec: Two-factor. Throws TOTP_ALREADY_ENABLED after the setup and TOTP_NOT_ENABLED without one. */
export const getTotpUri = customMutation({
  access: 'session',
  input: getTotpUriInput,
  limit: null,
  lock: 'none',
  events: ['pause-password'],
  mails: ['password-paused'],
  cookies: [],

  async run({ ctx, input }) {
    await reauthenticateForSetup(ctx, input.password)
    const factor = await ctx.db.twoFactor.findUnique({ where: { userId: ctx.user.id } })
    if (factor?.confirmedAt) throw new AppError('TOTP_ALREADY_ENABLED')
    if (!factor) throw new AppError('TOTP_NOT_ENABLED')
    return { totpURI: buildTotpUri(ctx, openPendingSecret(ctx, factor)) }
  },
})

async function reauthenticateForSetup(ctx: GuessContext & ActiveSession, password: string | undefined): Promise<Account | null> {
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
