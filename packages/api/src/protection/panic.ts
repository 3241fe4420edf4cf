import type { Transaction, User } from '@floorpass/db'
import type { AuditEntry } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { isLocked } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { sendPanicked } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { transact } from '../transact.ts'
import { cancelSentInvitations } from '../users/cancel-sent-invitations.ts'
import { lockUser } from '../users/lock-user.ts'
import { recentFactorActions, removeRecentFactors } from '../users/remove-recent-factors.ts'
import { revertAllowList } from '../users/revert-allow-list.ts'
import { startHold } from '../users/start-hold.ts'
import { panicInput } from './contract.ts'

const panicActions = [
  'panic',
  'clear-password',
  'revoke-trusted-device',
  'cancel-invitation',
  'remove-allow-list-entry',
  'enable-allow-list',
  ...recentFactorActions,
] as const

type Entry = AuditEntry<(typeof panicActions)[number]>

/**
 * Spec: Protection. Ends sessions, clears the password, disables API keys, starts a hold and a lock, and removes what a thief may have
 * added in the last week. A used link changes nothing: people and mail scanners press twice. INVALID_TOKEN, TOKEN_EXPIRED.
 */
export const panic = customMutation({
  access: 'public',
  sensitive: false,
  input: panicInput,
  limit: 'panic:ip',
  lock: 'own',
  events: panicActions,
  mails: ['panicked'],
  cookies: ['session'],

  async run({ ctx, input: { token } }) {
    const { userId } = await findPanicLink(ctx, token)
    const active = await ctx.findSession()
    const wasUsed = await transact(
      ctx,
      (tx) => lockUser(tx, userId),
      async (tx) => {
        if ((await findPanicLink({ db: tx }, token)).wasUsed) return { events: [], result: true }
        await consumeOneTimeToken(tx, 'panic', token)
        const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
        const { apiKeys, entries } = await stopEverything(ctx, tx, user)
        const removed = await removeRecentFactors(tx, user)
        await sendPanicked(ctx, tx, user, apiKeys)
        return { events: [...entries, ...removed], result: false }
      },
    )
    if (!wasUsed && active?.user.id === userId) clearSessionCookie(ctx)
    return { status: true as const, wasUsed }
  },
})

/** Checks the link without using it, for the page. INVALID_TOKEN, TOKEN_EXPIRED. */
export const checkPanicLink = customMutation({
  access: 'public',
  sensitive: false,
  input: panicInput,
  limit: 'panic:ip',
  lock: 'none',
  events: [],
  mails: [],
  cookies: [],

  async run({ ctx, input: { token } }) {
    const { wasUsed } = await findPanicLink(ctx, token)
    return { wasUsed }
  },
})

async function findPanicLink({ db }: { db: Transaction }, token: string): Promise<{ userId: string; wasUsed: boolean }> {
  const found = await db.verification.findUnique({ where: { secretHash: hashToken(token) } })
  if (found?.purpose !== 'panic' || found.userId === null) throw new AppError('INVALID_TOKEN')
  if (found.usedAt === null && found.expiresAt <= new Date()) throw new AppError('TOKEN_EXPIRED')
  return { userId: found.userId, wasUsed: found.usedAt !== null }
}

async function stopEverything(ctx: Context, tx: Transaction, user: User): Promise<{ apiKeys: number; entries: Entry[] }> {
  const userId = user.id
  // Every transaction locks devices before sessions.
  const devices = await tx.trustedDevice.deleteMany({ where: { userId } })
  const sessions = await tx.session.deleteMany({ where: { userId } })
  // By SQL, so that `updated_at` stays: an undo of the email deletes keys that changed lately.
  const apiKeys = await tx.$queryRaw<unknown[]>`
    UPDATE api_keys SET enabled = false WHERE user_id = ${userId} AND enabled RETURNING id`
  const passwords = await tx.account.count({ where: { userId, passwordHash: { not: null } } })
  await clearPassword(tx, userId)
  await voidOneTimeTokens(tx, userId, ['change-email', 'delete-account', 'reauthenticate', 'two-factor', 'reset-password'])
  const invitations = await cancelSentInvitations(tx, userId)
  const { addressesRemoved, isKeptOn } = await revertAllowList(tx, userId, getTrustCutoff())
  await startHold(ctx, tx, userId, 'panic')
  await tx.user.update({ where: { id: userId }, data: getPanicLock(user) })
  const cause = 'panic'
  const entries: (Omit<Entry, 'userId'> | false)[] = [
    { action: 'panic', details: { sessions: sessions.count, apiKeys: apiKeys.length } },
    passwords > 0 && { action: 'clear-password', details: { cause } },
    devices.count > 0 && { action: 'revoke-trusted-device', details: { cause, count: devices.count } },
    invitations > 0 && { action: 'cancel-invitation', details: { cause, count: invitations } },
    addressesRemoved > 0 && { action: 'remove-allow-list-entry', details: { cause, count: addressesRemoved } },
    isKeptOn && { action: 'enable-allow-list', details: { cause } },
  ]
  return { apiKeys: apiKeys.length, entries: entries.filter((entry) => entry !== false).map((entry) => ({ userId, ...entry })) }
}

/**
 * An owner's lock from before the last week stays: it is stricter. A newer one may be a thief's.
 * A second press keeps the time of the first, so that a passkey from between them cannot undo the panic.
 */
function getPanicLock(user: User) {
  const { lockedAt, lockKind } = user
  const keepsOwnLock = isLocked(user) && lockKind === 'owner' && lockedAt !== null && lockedAt < getTrustCutoff()
  if (keepsOwnLock) return { unlockAt: null }
  const since = isLocked(user) && lockKind === 'panic' ? lockedAt : new Date()
  return { lockKind: 'panic', lockedAt: since, unlockDays: policy.panic.unlockDays, unlockAt: null, lockKeyHash: null }
}
