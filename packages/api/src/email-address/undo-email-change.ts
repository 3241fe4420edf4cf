import { isUniqueViolation, type Transaction, type User, type Verification } from '@floorpass/db'
import type { AuditEntry, Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import { type Mails, sendEmailChanged, sendEmailChangeUndone } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken, findOneTimeToken, openPayload, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { clearSessionCookie } from '../sessions/session-store.ts'
import { cancelSentInvitations } from '../users/cancel-sent-invitations.ts'
import { lockUser } from '../users/lock-user.ts'
import { findPictureName } from '../users/picture-address.ts'
import { revertAllowList } from '../users/revert-allow-list.ts'
import { startHold } from '../users/start-hold.ts'
import { undoEmailChangeInput } from './contract.ts'
import { findUndoEffects, type UndoEffects } from './undo-effects.ts'
import { readUndoSnapshot, type UndoSnapshot } from './undo-snapshot.ts'

const undoActions = [
  'undo-email-change',
  'clear-password',
  'revoke-session',
  'unlink-account',
  'disable-two-factor',
  'restore-two-factor',
  'remove-backup-codes',
  'remove-passkey',
  'revoke-trusted-device',
  'cancel-invitation',
  'delete-api-key',
  'remove-allow-list-entry',
  'enable-allow-list',
  'cancel-unlock',
  'update-user',
] as const

type UndoAction = (typeof undoActions)[number]

/** Restores the former address and removes what a thief may have added. INVALID_TOKEN, TOKEN_EXPIRED, EMAIL_TAKEN. */
export const undoEmailChange = customMutation({
  access: 'public',
  sensitive: false,
  input: undoEmailChangeInput,
  limit: 'verify-email:ip',
  lock: 'own',
  events: undoActions,
  mails: ['email-change-undone', 'email-changed'],
  cookies: ['session'],

  async run({ ctx, input }) {
    const effects = await undoChange(ctx, input.token).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error
      // A concurrent sign-up took the address. It is unverified, so the second try removes it.
      return undoChange(ctx, input.token)
    })
    clearSessionCookie(ctx)
    return { status: true as const, effects }
  },
})

/** Returns the effects of the link without using it. INVALID_TOKEN, TOKEN_EXPIRED. */
export const checkUndoLink = customMutation({
  access: 'public',
  sensitive: false,
  input: undoEmailChangeInput,
  limit: 'verify-email:ip',
  lock: 'none',
  events: [],
  mails: [],
  cookies: [],

  async run({ ctx, input }) {
    const link = await findOneTimeToken(ctx.db, 'undo-email-change', input.token)
    return { effects: await findUndoEffects(ctx.db, link.user, link, openSnapshot(ctx, link)) }
  },
})

type UndoContext = Context & Records<UndoAction> & Mails<'email-change-undone' | 'email-changed'>

const undoChange = (ctx: UndoContext, token: string): Promise<UndoEffects> =>
  ctx.db.$transaction(async (tx) => {
    await lockUser(tx, (await findOneTimeToken(tx, 'undo-email-change', token)).userId)
    const link = await consumeOneTimeToken(tx, 'undo-email-change', token)
    const { userId, email, expiresAt } = link
    if (userId === null || email === null) throw new AppError('INVALID_TOKEN')
    const snapshot = openSnapshot(ctx, link)
    const former = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const effects = await findUndoEffects(tx, former, link, snapshot)

    const user = await restoreUser(tx, former, email, snapshot, effects)
    await clearPassword(tx, userId)
    // A thief may have linked a provider before the change.
    await tx.account.deleteMany({ where: { userId, providerId: { not: 'credential' } } })
    await restoreFactor(tx, userId, link, snapshot, effects)
    await tx.passkey.deleteMany({ where: { userId, createdAt: { gte: getTrustCutoff(link.createdAt) } } })
    await tx.apiKey.deleteMany({ where: { userId, updatedAt: { gte: getTrustCutoff(link.createdAt) } } })
    const { isKeptOn } = await revertAllowList(tx, userId, getTrustCutoff(link.createdAt))
    // A thief may have asked to unlock. An owner asks again.
    const asked = await tx.user.updateMany({ where: { id: userId, unlockAt: { gt: new Date() } }, data: { unlockAt: null } })
    await tx.trustedDevice.deleteMany({ where: { userId } })
    await tx.session.deleteMany({ where: { userId } })
    await cancelSentInvitations(tx, userId)
    await voidOneTimeTokens(tx, userId, [
      'verify-email',
      'reset-password',
      'change-email',
      'delete-account',
      'reauthenticate',
      'two-factor',
      'panic',
    ])
    // A thief who moved the account twice may hold a later link. The owner's earlier link must survive.
    await tx.verification.deleteMany({
      where: { userId, purpose: 'undo-email-change', usedAt: null, expiresAt: { gte: expiresAt } },
    })
    await startHold(ctx, tx, userId, 'change-email')
    await ctx.record(tx, ...createAuditEntries(userId, effects, { isKeptOn, isKeptLocked: asked.count > 0 }))
    await sendEmailChangeUndone(ctx, tx, user, effects)
    if (former.email !== email) await sendEmailChanged(ctx, tx, former, { newEmail: email, cause: 'undo', snapshot: null })
    return effects
  })

/** Null for links without a snapshot, or when AUTH_SECRET no longer opens it. The undo restores the address even so. */
function openSnapshot(ctx: Context, link: Verification): UndoSnapshot | null {
  if (link.payloadSealed === null) return null
  try {
    return readUndoSnapshot(openPayload(ctx, link))
  } catch (err) {
    ctx.log.warn({ err, userId: link.userId }, 'undo snapshot cannot be opened')
    return null
  }
}

async function restoreUser(
  tx: Transaction,
  { id }: User,
  email: string,
  snapshot: UndoSnapshot | null,
  { tradingDisabled, riskLevelLowered, twoFactor }: UndoEffects,
): Promise<User> {
  // A thief may have signed up with the former address to block the undo.
  await tx.user.deleteMany({ where: { email, emailVerified: false, suspendedAt: null, importedAt: null, id: { not: id } } })
  const holder = await tx.user.findUnique({ where: { email } })
  if (holder && holder.id !== id) throw new AppError('EMAIL_TAKEN')
  const image = await findUsableImage(tx, snapshot?.image ?? null)
  return tx.user.update({
    where: { id },
    data: {
      email,
      emailVerified: true,
      twoFactorEnabled: twoFactor === 'kept' || twoFactor === 'restored',
      ...(tradingDisabled && { tradingEnabled: false }),
      ...(riskLevelLowered && { riskLevel: 'conservative' as const }),
      ...(snapshot && { name: snapshot.name, image, unlinkedProviders: snapshot.unlinkedProviders }),
    },
  })
}

/** Null for a picture of ours that was replaced or removed since: its address answers no more. */
async function findUsableImage(tx: Transaction, image: string | null): Promise<string | null> {
  const name = image === null ? null : findPictureName(image)
  return name === null || (await tx.profilePicture.count({ where: { name } })) > 0 ? image : null
}

async function restoreFactor(
  tx: Transaction,
  userId: string,
  link: Verification,
  snapshot: UndoSnapshot | null,
  { twoFactor }: UndoEffects,
): Promise<void> {
  const cutoff = getTrustCutoff(link.createdAt)
  const notOwn = { OR: [{ confirmedAt: null }, { confirmedAt: { gte: cutoff } }] }
  await tx.twoFactor.deleteMany({ where: { userId, ...(twoFactor === 'kept' && notOwn) } })
  // A thief may have locked the owner's factor with wrong codes.
  await tx.twoFactor.updateMany({ where: { userId }, data: { failedAttempts: 0, lockedUntil: null } })
  if (twoFactor === 'restored' && snapshot?.twoFactor && snapshot.twoFactor.confirmedAt < cutoff) {
    const { lastStep, ...factor } = snapshot.twoFactor
    await tx.twoFactor.create({ data: { userId, ...factor, lastStep: lastStep === null ? null : BigInt(lastStep) } })
  }
  // Deleted codes stay deleted, since one of them may have been used.
  await tx.backupCode.deleteMany({ where: { userId, ...(twoFactor === 'kept' && { createdAt: { gte: cutoff } }) } })
}

type Kept = { isKeptOn: boolean; isKeptLocked: boolean }

function createAuditEntries(userId: string, effects: UndoEffects, { isKeptOn, isKeptLocked }: Kept): AuditEntry<UndoAction>[] {
  const {
    sessions,
    passkeysRemoved,
    apiKeysRemoved,
    addressesRemoved,
    trustedDevices,
    invitations,
    unlinkedProviders,
    twoFactor,
  } = effects
  const cause = 'undo-email-change'
  const changed = [
    ...(effects.profileRestored ? ['name', 'image'] : []),
    ...(effects.tradingDisabled ? ['tradingEnabled'] : []),
    ...(effects.riskLevelLowered ? ['riskLevel'] : []),
  ]
  const entries: (Omit<AuditEntry<UndoAction>, 'userId'> | false)[] = [
    { action: 'undo-email-change', details: { canceledInvitations: invitations } },
    effects.passwordRemoved && { action: 'clear-password', details: { cause } },
    sessions > 0 && { action: 'revoke-session', details: { cause, count: sessions } },
    ...unlinkedProviders.map((provider) => ({ action: 'unlink-account' as const, details: { cause, provider } })),
    twoFactor === 'removed' && { action: 'disable-two-factor', details: { cause } },
    twoFactor === 'restored' && { action: 'restore-two-factor', details: { cause } },
    effects.backupCodesRemoved && { action: 'remove-backup-codes', details: { cause } },
    passkeysRemoved > 0 && { action: 'remove-passkey', details: { cause, count: passkeysRemoved } },
    addressesRemoved > 0 && { action: 'remove-allow-list-entry', details: { cause, count: addressesRemoved } },
    isKeptOn && { action: 'enable-allow-list', details: { cause } },
    isKeptLocked && { action: 'cancel-unlock', details: { cause } },
    apiKeysRemoved > 0 && { action: 'delete-api-key', details: { cause, count: apiKeysRemoved } },
    trustedDevices > 0 && { action: 'revoke-trusted-device', details: { cause, count: trustedDevices } },
    invitations > 0 && { action: 'cancel-invitation', details: { cause, count: invitations } },
    changed.length > 0 && { action: 'update-user', details: { cause, fields: changed.join(',') } },
  ]
  return entries.filter((entry) => entry !== false).map((entry) => ({ userId, ...entry }))
}
