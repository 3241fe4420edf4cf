import type { Transaction } from '@floorpass/db'
import { type AuditEntry, recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { type PendingProfile, sendPasswordCleared } from '../mail/notifications.ts'

type Proof = { userId: string; email: string; pending?: PendingProfile; audit?: Pick<AuditEntry, 'actorId' | 'details'> }

/**
 * A sign-up's address is proved: its other links are void, and where no password counts (see sign-up-email.ts) a link to choose one
 * is mailed. Null when the address has changed, or was proved, since; else whether the password was cleared.
 */
export async function markEmailVerified(
  ctx: Context,
  tx: Transaction,
  { userId, email, pending, audit }: Proof,
): Promise<{ isCleared: boolean } | null> {
  const [user] = await tx.user.updateManyAndReturn({
    where: { id: userId, email, emailVerified: false },
    data: { ...pending, emailVerified: true },
  })
  if (!user) return null
  await tx.verification.updateMany({ where: { userId, purpose: 'verify-email', usedAt: null }, data: { usedAt: new Date() } })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'verify-email', ...audit })
  const isCleared = await hasClearedPassword(tx, userId)
  if (isCleared) await sendPasswordCleared(ctx, tx, user)
  return { isCleared }
}

export const hasClearedPassword = async (tx: Transaction, userId: string): Promise<boolean> =>
  (await tx.account.count({ where: { userId, providerId: 'credential', passwordHash: null } })) > 0
