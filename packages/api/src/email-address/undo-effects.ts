import type { Transaction, User, Verification } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import type { UndoSnapshot } from './undo-snapshot.ts'

/** What an undo takes away or brings back: shown before and after, mailed and recorded. */
export type UndoEffects = {
  sessions: number
  /** The account had a password, and has none afterwards. */
  passwordRemoved: boolean
  unlinkedProviders: string[]
  /** `removed`: it was enabled shortly before the change, or since. `restored`: it was disabled or replaced since. */
  twoFactor: 'none' | 'kept' | 'removed' | 'restored'
  /** The factor stays, but backup codes that were created shortly before the change, or since, stop working, or none are left. */
  backupCodesRemoved: boolean
  trustedDevices: number
  /** Open invitations that the account sent: they are canceled. */
  invitations: number
  /** Trading was enabled, whoever enabled it, and is disabled. */
  tradingDisabled: boolean
  /** The risk level was above the lowest, whoever raised it, and is the lowest now. */
  riskLevelLowered: boolean
  /** Name or picture changed since, and changes back. */
  profileRestored: boolean
}

/**
 * A factor that was enabled within the seven days before the change, or since, may be a thief's, whenever it was prepared. An older one
 * may be all that keeps a stolen mailbox out, so it stays or comes back.
 */
export const trustedBefore = ({ createdAt }: Pick<Verification, 'createdAt'>): Date =>
  new Date(createdAt.getTime() - policy.undoEmailChange.lifetime * 1000)

/** What the undo of this link does to the account as it is now. Links from before there were snapshots have none. */
export async function findUndoEffects(
  tx: Transaction,
  user: User,
  link: Pick<Verification, 'createdAt'>,
  snapshot: UndoSnapshot | null,
): Promise<UndoEffects> {
  const userId = user.id
  const since = trustedBefore(link)
  const accounts = await tx.account.findMany({ where: { userId } })
  const factor = await tx.twoFactor.findUnique({ where: { userId } })
  const twoFactor = twoFactorEffect(factor?.confirmedAt ?? null, snapshot, since)
  const recentCodes = await tx.backupCode.count({ where: { userId, createdAt: { gte: since } } })
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

function twoFactorEffect(confirmedAt: Date | null, snapshot: UndoSnapshot | null, since: Date): UndoEffects['twoFactor'] {
  const saved = snapshot?.twoFactor?.confirmedAt ?? (snapshot === null ? confirmedAt : null)
  if (saved === null || saved >= since) return confirmedAt === null ? 'none' : 'removed'
  return confirmedAt?.getTime() === saved.getTime() ? 'kept' : 'restored'
}
