import type { Transaction } from '@floorpass/db'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { deleteTwoFactor } from './delete-two-factor.ts'
import { lockUser } from './lock-user.ts'
import { markEmailVerified, type VerifyContext } from './mark-email-verified.ts'

/** Keeps the row, since other systems use its id. Removes its sign-in methods, since an attacker may have added them. */
export async function claimImportedUser(ctx: VerifyContext, tx: Transaction, email: string): Promise<void> {
  const unverified = { email, emailVerified: false, suspendedAt: null, importedAt: { not: null } }
  const found = await tx.user.findUnique({ where: unverified })
  await lockUser(tx, found?.id ?? null)
  const imported = await tx.user.findUnique({ where: unverified })
  if (!imported) return
  const userId = imported.id
  await tx.account.deleteMany({ where: { userId } })
  await tx.passkey.deleteMany({ where: { userId } })
  await tx.session.deleteMany({ where: { userId } })
  await deleteTwoFactor(tx, userId)
  await voidOneTimeTokens(tx, userId, ['reset-password'])
  await markEmailVerified(ctx, tx, { userId, email })
}
