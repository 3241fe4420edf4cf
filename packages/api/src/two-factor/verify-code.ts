import type { Transaction, TwoFactor, User } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { sendBackupCodeUsed, sendTwoFactorLocked } from '../mail/notifications.ts'
import { consumeBackupCode, countBackupCodes, isBackupCode } from './backup-codes.ts'
import { findTimeStep } from './totp.ts'

export type CodeKind = 'totp' | 'backup'

/** What a caller sends as a code; without `type` its form decides. */
export type GivenCode = { code: string; type?: CodeKind | undefined }

/** A right code says which kind it was; a wrong one is counted; `not-checked` looked at nothing. */
export type CodeCheck =
  | { outcome: 'right'; kind: CodeKind }
  | { outcome: 'wrong'; refusal: AppError }
  | { outcome: 'not-checked'; refusal: AppError }

const onlyBackupCodes = 'Too many wrong codes in a row: only a backup code is accepted'

/** The kind that a code claims to be. */
export const kindOf = ({ code, type }: GivenCode): CodeKind => type ?? (isBackupCode(code) ? 'backup' : 'totp')

/**
 * Judges a code for a user whose lock is held. Every way that takes a code comes through here, so wrong codes are counted per
 * account whatever the sign-in, session or kind, and enough of them lock the factor for longer each time. A refusal is returned
 * and not thrown: its count must be committed. `isSetUp` accepts the first code of a factor that does not count yet.
 */
export async function verifyCode(
  ctx: Context,
  tx: Transaction,
  user: User,
  given: GivenCode,
  { isSetUp = false }: { isSetUp?: boolean } = {},
): Promise<CodeCheck> {
  const kind = kindOf(given)
  const factor = await tx.twoFactor.findUnique({ where: { userId: user.id } })
  if (!factor || (!factor.confirmedAt && !(isSetUp && kind === 'totp')))
    return { outcome: 'not-checked', refusal: new AppError(kind === 'totp' ? 'TOTP_NOT_ENABLED' : 'BACKUP_CODES_NOT_ENABLED') }
  const wait = (factor.lockedUntil?.getTime() ?? 0) - Date.now()
  if (wait > 0)
    return { outcome: 'not-checked', refusal: new AppError('ACCOUNT_TEMPORARILY_LOCKED', { retryAfter: Math.ceil(wait / 1000) }) }

  if (kind === 'totp' && factor.failedAttempts >= policy.twoFactor.failuresEver)
    return { outcome: 'not-checked', refusal: new AppError('ACCOUNT_TEMPORARILY_LOCKED', { message: onlyBackupCodes }) }

  const isRight =
    kind === 'totp' ? await consumeTimeStep(ctx, tx, factor, given.code) : await consumeBackupCode(tx, user.id, given.code)
  if (!isRight) {
    // Before it counts there is nothing to guess: a new set-up has a new secret.
    if (factor.confirmedAt) await countFailure(ctx, tx, user)
    return { outcome: 'wrong', refusal: new AppError(kind === 'totp' ? 'INVALID_CODE' : 'INVALID_BACKUP_CODE') }
  }
  await tx.twoFactor.update({ where: { userId: user.id }, data: { failedAttempts: 0, lockedUntil: null } })
  if (kind === 'backup') await sendBackupCodeUsed(ctx, tx, user, await countBackupCodes(tx, user.id))
  return { outcome: 'right', kind }
}

/**
 * A code opens for its time step once, and never for an earlier one (RFC 6238 section 5.2): one conditional UPDATE decides. The
 * secret is sealed anew meanwhile, so that it outlives the AUTH_SECRET that sealed it first.
 */
async function consumeTimeStep(
  ctx: Context,
  tx: Transaction,
  { userId, secretSealed }: TwoFactor,
  code: string,
): Promise<boolean> {
  const secret = openSecret(ctx, userId, secretSealed)
  const step = secret === null ? null : findTimeStep(secret, code.replace(/[\s-]/g, ''))
  if (secret === null || step === null) return false
  const { count } = await tx.twoFactor.updateMany({
    where: { userId, OR: [{ lastStep: null }, { lastStep: { lt: step } }] },
    data: { lastStep: step, secretSealed: ctx.secretBox.seal(secret, ['two_factors.secret_sealed', userId]) },
  })
  return count === 1
}

/** Null when AUTH_SECRET no longer lists its secret, or it is another user's: then backup codes alone are right. */
function openSecret(ctx: Context, userId: string, secretSealed: string): string | null {
  try {
    return ctx.secretBox.open(secretSealed, ['two_factors.secret_sealed', userId])
  } catch (err) {
    ctx.log.warn({ err, userId }, 'two-factor secret cannot be opened')
    return null
  }
}

async function countFailure(ctx: Context, tx: Transaction, user: User): Promise<void> {
  const { failuresPerLock, firstLock, longestLock } = policy.twoFactor
  const { failedAttempts } = await tx.twoFactor.update({
    where: { userId: user.id },
    data: { failedAttempts: { increment: 1 } },
  })
  if (failedAttempts % failuresPerLock !== 0) return
  const seconds = Math.min(firstLock * 2 ** (failedAttempts / failuresPerLock - 1), longestLock)
  await tx.twoFactor.update({ where: { userId: user.id }, data: { lockedUntil: new Date(Date.now() + seconds * 1000) } })
  await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'lock-two-factor', details: { seconds } })
  await sendTwoFactorLocked(ctx, tx, user, seconds / 60)
}
