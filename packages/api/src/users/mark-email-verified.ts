import type { Transaction } from '@floorpass/db'
import type { AuditEntry, Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { type Mails, type PendingProfile, sendPasswordCleared } from '../mail/notifications.ts'

export type VerifyContext = Context & Records<'verify-email'> & Mails<'password-cleared'>

type EmailVerification = {
  userId: string
  email: string
  pending?: PendingProfile
  audit?: Pick<AuditEntry, 'actorId' | 'details'>
}

/** Returns whether the user must set a password by mail; null when the address changed or is verified already. */
export async function markEmailVerified(
  ctx: VerifyContext,
  tx: Transaction,
  { userId, email, pending, audit }: EmailVerification,
): Promise<{ isCleared: boolean } | null> {
  const [user] = await tx.user.updateManyAndReturn({
    where: { id: userId, email, emailVerified: false },
    data: { ...pending, emailVerified: true },
  })
  if (!user) return null
  await tx.verification.updateMany({ where: { userId, purpose: 'verify-email', usedAt: null }, data: { usedAt: new Date() } })
  await ctx.record(tx, { userId, action: 'verify-email', ...audit })
  const isCleared = await hasClearedPassword(tx, userId)
  if (isCleared) await sendPasswordCleared(ctx, tx, user)
  return { isCleared }
}

export const hasClearedPassword = async (tx: Transaction, userId: string): Promise<boolean> =>
  (await tx.account.count({ where: { userId, providerId: 'credential', passwordHash: null } })) > 0
