import { AppError } from '../kernel/errors.ts'
import { hashToken } from '../kernel/random-token.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { createTypedCode, normalizeTypedCode } from '../kernel/typed-code.ts'
import { sendAccountLocked } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { confirmByPasskey } from '../passkeys/confirm-by-passkey.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { lockAccountInput } from './contract.ts'

/** 125 random bits. */
const keyLength = 25

export const hashLockKey = (key: string): string => hashToken(normalizeTypedCode(key))

/**
 * Spec: Protection. Needs a passkey that is a week old, so that a thief cannot lock the owner out.
 * ACCOUNT_LOCKED, LOCK_DAYS_NOT_ALLOWED; errors of `confirmByPasskey`.
 */
export const lockAccount = mutation({
  access: 'session',
  sensitive: true,
  input: lockAccountInput,
  limit: 'passkey:ip',
  events: ['lock-account', ...passkeyActions],
  mails: ['account-locked', ...passkeyMails],
  cookies: [],

  prepare({ ctx, input: { days } }) {
    const { least, most } = ctx.settings.protection.lockDays
    if (days < least || days > most) throw new AppError('LOCK_DAYS_NOT_ALLOWED', { message: `Choose ${least} to ${most} days` })
    return createTypedCode(keyLength)
  },
  lock: 'caller',
  async change(tx, { ctx, input: { days, passkey }, prepared: lockKey }) {
    const refusal = await confirmByPasskey(ctx, tx, passkey, { olderThan: getTrustCutoff() })
    if (refusal) return { events: [], refusal }
    await tx.user.update({
      where: { id: ctx.user.id },
      data: { lockKind: 'owner', lockedAt: new Date(), unlockDays: days, unlockAt: null, lockKeyHash: hashLockKey(lockKey) },
    })
    await sendAccountLocked(ctx, tx, ctx.user, days)
    return { events: [{ action: 'lock-account', details: { days } }], result: { lockKey } }
  },
})
