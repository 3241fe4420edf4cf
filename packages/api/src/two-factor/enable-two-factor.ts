import type { Account, Transaction, TwoFactor } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { Mails } from '../mail/notifications.ts'
import { customMutation, mutation } from '../mutation.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import type { GuessContext } from '../password-guesses/password-guesses.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { setSessionCookie } from '../sessions/session-store.ts'
import type { Changed } from '../transact.ts'
import { hasUsablePasskey } from '../users/sign-in-methods.ts'
import { replaceBackupCodes } from './backup-codes.ts'
import { enableTwoFactorInput, getTotpUriInput } from './contract.ts'
import { markTwoFactorEnabled, type RenewedSession } from './mark-two-factor-enabled.ts'
import { createTotpSecret, createTotpUri } from './totp.ts'

/**
 * Spec: Two-factor. `totp`: the first code that `verifyTwoFactor` accepts turns two-factor on. `passkey`: on at once.
 * TOTP_ALREADY_ENABLED, TWO_FACTOR_ALREADY_ENABLED, PASSKEY_NOT_FOUND.
 */
export const enableTwoFactor = mutation({
  access: 'session',
  sensitive: true,
  input: enableTwoFactorInput,
  limit: null,
  events: ['prepare-two-factor', 'enable-two-factor', 'pause-password'],
  mails: ['password-paused', 'two-factor-enabled'],
  cookies: ['session'],

  async prepare({ ctx, input: { method, password } }) {
    if (method === 'otp') throw new AppError('OTP_NOT_CONFIGURED')
    return reauthenticateForSetup(ctx, password)
  },
  lock: 'caller',
  async change(tx, { ctx, input, prepared: account }) {
    if (account) await assertPasswordUnchanged(tx, account)
    const { twoFactorEnabled } = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
    return input.method === 'passkey' ? enablePasskeys(ctx, tx, twoFactorEnabled) : prepareTotp(ctx, tx, twoFactorEnabled)
  },
  answer({ ctx, result: { answer, renewed } }) {
    if (renewed) setSessionCookie(ctx, renewed.token, renewed.session)
    return answer
  },
})

type Answer = { backupCodes: string[] } & ({ method: 'totp'; totpURI: string } | { method: 'passkey' })
type SetupChange = Changed<
  SetupContext,
  'prepare-two-factor' | 'enable-two-factor',
  { answer: Answer; renewed: RenewedSession | null }
>

async function prepareTotp(ctx: SetupContext, tx: Transaction, twoFactorEnabled: boolean): Promise<SetupChange> {
  const userId = ctx.user.id
  // A thief with an old session could add a factor, then remove the owner's.
  if (twoFactorEnabled) assertReauthenticated(ctx.session)
  const secret = createTotpSecret()
  await tx.twoFactor.deleteMany({ where: { userId, confirmedAt: null } })
  const { count } = await tx.twoFactor.createMany({
    data: { userId, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
    skipDuplicates: true,
  })
  if (count === 0) throw new AppError('TOTP_ALREADY_ENABLED')
  const backupCodes = twoFactorEnabled ? [] : await replaceBackupCodes(tx, userId)
  return {
    events: [{ action: 'prepare-two-factor' }],
    result: { answer: { method: 'totp', totpURI: buildTotpUri(ctx, secret), backupCodes }, renewed: null },
  }
}

async function enablePasskeys(ctx: SetupContext, tx: Transaction, twoFactorEnabled: boolean): Promise<SetupChange> {
  const userId = ctx.user.id
  if (twoFactorEnabled) throw new AppError('TWO_FACTOR_ALREADY_ENABLED')
  if (!(await hasUsablePasskey(ctx, tx, userId))) throw new AppError('PASSKEY_NOT_FOUND')
  await tx.twoFactor.deleteMany({ where: { userId } })
  const backupCodes = await replaceBackupCodes(tx, userId)
  return {
    events: [{ action: 'enable-two-factor', details: { method: 'passkey' } }],
    result: { answer: { method: 'passkey', backupCodes }, renewed: await markTwoFactorEnabled(ctx, tx) },
  }
}

/** Spec: Two-factor. Throws TOTP_ALREADY_ENABLED after the setup and TOTP_NOT_ENABLED without one. */
export const getTotpUri = customMutation({
  access: 'session',
  sensitive: true,
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

type SetupContext = Context & ActiveSession & Mails<'two-factor-enabled'>

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
