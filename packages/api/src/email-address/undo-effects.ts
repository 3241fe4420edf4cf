import type { Transaction, User, Verification } from '@floorpass/db'
import type { UndoEffects as ShownEffects } from '@floorpass/languages/types'
import { getTrustCutoff } from '../kernel/trust-cutoff.ts'
import type { UndoSnapshot } from './undo-snapshot.ts'

export type UndoEffects = ShownEffects & { sessions: number }

/** Returns what this link's undo would change now. Links older than the snapshot feature have no snapshot. */
export async function findUndoEffects(
  tx: Transaction,
  user: User,
  link: Pick<Verification, 'createdAt'>,
  snapshot: UndoSnapshot | null,
): Promise<UndoEffects> {
  const userId = user.id
  const cutoff = getTrustCutoff(link.createdAt)
  const accounts = await tx.account.findMany({ where: { userId } })
  const factor = await tx.twoFactor.findUnique({ where: { userId } })
  const ownPasskeys = await tx.passkey.count({ where: { userId, createdAt: { lt: cutoff } } })
  const totp = getTotpEffect(factor?.confirmedAt ?? null, snapshot, cutoff)
  const isOwnChoice = ownPasskeys > 0 && !(await wasTurnedOnSince(tx, userId, cutoff))
  const twoFactor = totp === 'kept' || totp === 'restored' ? totp : getPasskeyEffect(user, snapshot, isOwnChoice)
  const recentCodes = await tx.backupCode.count({ where: { userId, createdAt: { gte: cutoff } } })
  return {
    sessions: await tx.session.count({ where: { userId, expiresAt: { gt: new Date() } } }),
    passwordRemoved: accounts.some(({ passwordHash }) => passwordHash !== null),
    unlinkedProviders: accounts.map(({ providerId }) => providerId).filter((id) => id !== 'credential'),
    twoFactor,
    backupCodesRemoved: twoFactor === 'restored' || (twoFactor === 'kept' && recentCodes > 0),
    passkeysRemoved: await tx.passkey.count({ where: { userId, createdAt: { gte: cutoff } } }),
    // A thief may have given the owner's key more rights.
    apiKeysRemoved: await tx.apiKey.count({ where: { userId, updatedAt: { gte: cutoff } } }),
    addressesRemoved: await tx.allowListEntry.count({ where: { userId, createdAt: { gte: cutoff } } }),
    trustedDevices: await tx.trustedDevice.count({ where: { userId } }),
    invitations: await tx.invitation.count({ where: { inviterId: userId, status: 'pending' } }),
    tradingDisabled: user.tradingEnabled,
    riskLevelLowered: user.riskLevel !== 'conservative',
    profileRestored: snapshot !== null && (snapshot.name !== user.name || snapshot.image !== user.image),
  }
}

function getTotpEffect(confirmedAt: Date | null, snapshot: UndoSnapshot | null, cutoff: Date): UndoEffects['twoFactor'] {
  const saved = snapshot?.twoFactor?.confirmedAt ?? (snapshot === null ? confirmedAt : null)
  if (saved === null || saved >= cutoff) return confirmedAt === null ? 'none' : 'removed'
  return confirmedAt?.getTime() === saved.getTime() ? 'kept' : 'restored'
}

/** Without the owner's authenticator app, the owner's passkeys keep two-factor as it was. */
function getPasskeyEffect(
  { twoFactorEnabled }: User,
  snapshot: UndoSnapshot | null,
  isOwnChoice: boolean,
): UndoEffects['twoFactor'] {
  const wasEnabled = snapshot?.twoFactorEnabled ?? twoFactorEnabled
  if (wasEnabled && isOwnChoice) return twoFactorEnabled ? 'kept' : 'restored'
  return twoFactorEnabled ? 'removed' : 'none'
}

/** Turning it on with a passkey leaves no date but this one. */
async function wasTurnedOnSince(tx: Transaction, userId: string, cutoff: Date): Promise<boolean> {
  const events = await tx.auditEvent.findMany({
    where: { userId, action: 'enable-two-factor', createdAt: { gte: cutoff } },
    select: { details: true },
  })
  return events.some(({ details }) => (details as { method?: string } | null)?.method === 'passkey')
}
