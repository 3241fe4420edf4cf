import type { Transaction, TwoFactor, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { type Mails, sendBackupCodeUsed, sendTwoFactorLocked } from '../mail/notifications.ts'
import { consumeBackupCode, countBackupCodes, hasBackupCodeFormat } from './backup-codes.ts'
import { findTimeStep } from './totp.ts'

export type CodeContext = Context & Records<'lock-two-factor'> & Mails<'two-factor-locked' | 'backup-code-used'>

export type CodeKind = 'totp' | 'backup'

export type CodeInput = { code: string; type?: CodeKind | undefined }

/** `wrong` counts as a failure once the factor is confirmed; `not-checked` was not compared. */
export type CodeCheck =
  | { outcome: 'right'; kind: CodeKind; isSetUp: boolean }
  | { outcome: 'wrong'; error: AppError }
  | { outcome: 'not-checked'; error: AppError }

const backupCodeRequired = 'Too many wrong codes in a row: only a backup code is accepted'

export const getCodeKind = ({ code, type }: CodeInput): CodeKind => type ?? (hasBackupCodeFormat(code) ? 'backup' : 'totp')

/** Returns errors, so that the caller commits the count. `isSetUp` accepts the first code of an unconfirmed factor. */
export async function verifyCode(
  ctx: CodeContext,
  tx: Transaction,
  user: User,
  input: CodeInput,
  { isSetUp = false }: { isSetUp?: boolean } = {},
): Promise<CodeCheck> {
  const kind = getCodeKind(input)
  const factor = await tx.twoFactor.findUnique({ where: { userId: user.id } })
  const hasCodes = kind === 'backup' ? user.twoFactorEnabled : factor !== null && (factor.confirmedAt !== null || isSetUp)
  if (!hasCodes)
    return { outcome: 'not-checked', error: new AppError(kind === 'totp' ? 'TOTP_NOT_ENABLED' : 'BACKUP_CODES_NOT_ENABLED') }
  const lockedForMs = (factor?.lockedUntil?.getTime() ?? 0) - Date.now()
  if (lockedForMs > 0)
    return {
      outcome: 'not-checked',
      error: new AppError('ACCOUNT_TEMPORARILY_LOCKED', { retryAfter: Math.ceil(lockedForMs / 1000) }),
    }

  if (kind === 'totp' && factor && factor.failedAttempts >= policy.twoFactor.failuresEver)
    return { outcome: 'not-checked', error: new AppError('ACCOUNT_TEMPORARILY_LOCKED', { message: backupCodeRequired }) }

  const isValid =
    kind === 'totp'
      ? factor !== null && (await consumeTimeStep(ctx, tx, factor, input.code))
      : await consumeBackupCode(tx, user.id, input.code)
  if (!isValid) {
    // An unconfirmed factor protects nothing yet. A wrong backup code needs no lock: 75 bits cannot be guessed.
    if (factor?.confirmedAt) await recordFailure(ctx, tx, user)
    return { outcome: 'wrong', error: new AppError(kind === 'totp' ? 'INVALID_CODE' : 'INVALID_BACKUP_CODE') }
  }
  await tx.twoFactor.updateMany({ where: { userId: user.id }, data: { failedAttempts: 0, lockedUntil: null } })
  if (kind === 'backup') await sendBackupCodeUsed(ctx, tx, user, await countBackupCodes(tx, user.id))
  return { outcome: 'right', kind, isSetUp: kind === 'totp' && factor?.confirmedAt === null }
}

/** Accepts each time step once, in order (RFC 6238 5.2). Reseals the secret for a rotation of AUTH_SECRET. */
async function consumeTimeStep(
  ctx: Context,
  tx: Transaction,
  { userId, secretSealed }: TwoFactor,
  code: string,
): Promise<boolean> {
  const secret = findSecret(ctx, userId, secretSealed)
  const step = secret === null ? null : findTimeStep(secret, code.replace(/[\s-]/g, ''))
  if (secret === null || step === null) return false
  const { count } = await tx.twoFactor.updateMany({
    where: { userId, OR: [{ lastStep: null }, { lastStep: { lt: step } }] },
    data: { lastStep: step, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
  })
  return count === 1
}

/** Returns null when AUTH_SECRET no longer opens the secret: only backup codes work then. */
function findSecret(ctx: Context, userId: string, secretSealed: string): string | null {
  try {
    return ctx.secretBox.open(secretSealed, ['two_factors.secret_sealed', userId])
  } catch (err) {
    ctx.log.warn({ err, userId }, 'two-factor secret cannot be opened')
    return null
  }
}

async function recordFailure(ctx: CodeContext, tx: Transaction, user: User): Promise<void> {
  const { failuresPerLock, firstLock, longestLock } = policy.twoFactor
  const { failedAttempts } = await tx.twoFactor.update({
    where: { userId: user.id },
    data: { failedAttempts: { increment: 1 } },
  })
  if (failedAttempts % failuresPerLock !== 0) return
  const seconds = Math.min(firstLock * 2 ** (failedAttempts / failuresPerLock - 1), longestLock)
  await tx.twoFactor.update({ where: { userId: user.id }, data: { lockedUntil: new Date(Date.now() + seconds * 1000) } })
  await ctx.record(tx, { userId: user.id, action: 'lock-two-factor', details: { seconds } })
  await sendTwoFactorLocked(ctx, tx, user, seconds / 60)
}
