import type { Transaction, User, Verification } from '@floorpass/db'
import type { EmailChangeUndoneEffects } from '@floorpass/email'
import { policy } from '../kernel/policy.ts'
import type { UndoSnapshot } from './undo-snapshot.ts'

export type UndoEffects = EmailChangeUndoneEffects & { sessions: number }

/** A factor confirmed within the week before the change may be a thief's. An older factor is the owner's. */
export const getTrustCutoff = ({ createdAt }: Pick<Verification, 'createdAt'>): Date =>
  new Date(createdAt.getTime() - policy.undoEmailChange.lifetime * 1000)

/** Returns what this link's undo would change now. Links older than the snapshot feature have no snapshot. */
export async function findUndoEffects(
  tx: Transaction,
  user: User,
  link: Pick<Verification, 'createdAt'>,
  snapshot: UndoSnapshot | null,
): Promise<UndoEffects> {
  const userId = user.id
  const cutoff = getTrustCutoff(link)
  const accounts = await tx.account.findMany({ where: { userId } })
  const factor = await tx.twoFactor.findUnique({ where: { userId } })
  const twoFactor = twoFactorEffect(factor?.confirmedAt ?? null, snapshot, cutoff)
  const recentCodes = await tx.backupCode.count({ where: { userId, createdAt: { gte: cutoff } } })
  return {
    sessions: await tx.session.count({ where: { userId, expiresAt: { gt: new Date() } } }),
    passwordRemoved: accounts.some(({ passwordHash }) => passwordHash !== null),
    unlinkedProviders: accounts.map(({ providerId }) => providerId).filter((id) => id !== 'credential'),
    twoFactor,
    backupCodesRemoved: twoFactor === 'restored' || (twoFactor === 'kept' && recentCodes > 0),
    trustedDevices: await tx.trustedDevice.count({ where: { userId } }),
    invitations: await tx.invitation.count({ where: { inviterId: userId, status: 'pending' } }),
    tradingDisabled: user.tradingEnabled,
    riskLevelLowered: user.riskLevel !== 'conservative',
    profileRestored: snapshot !== null && (snapshot.name !== user.name || snapshot.image !== user.image),
  }
}

function twoFactorEffect(confirmedAt: Date | null, snapshot: UndoSnapshot | null, cutoff: Date): UndoEffects['twoFactor'] {
  const saved = snapshot?.twoFactor?.confirmedAt ?? (snapshot === null ? confirmedAt : null)
  if (saved === null || saved >= cutoff) return confirmedAt === null ? 'none' : 'removed'
  return confirmedAt?.getTime() === saved.getTime() ? 'kept' : 'restored'
}
