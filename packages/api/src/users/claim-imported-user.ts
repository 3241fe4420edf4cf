import type { Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { deleteTwoFactor } from './delete-two-factor.ts'
import { lockUser } from './lock-user.ts'
import { markEmailVerified } from './mark-email-verified.ts'

/**
 * The address of an imported user who never proved it was proved just now, by other means than a link of this account. Others keep
 * balances under its id, so the row stays and is the prover's; whatever opened it before may be a stranger's, and opens nothing more.
 */
export async function claimImportedUser(ctx: Context, tx: Transaction, email: string): Promise<void> {
  const unproved = { email, emailVerified: false, suspendedAt: null, importedAt: { not: null } }
  const found = await tx.user.findUnique({ where: unproved })
  await lockUser(tx, found?.id ?? null)
  const imported = await tx.user.findUnique({ where: unproved })
  if (!imported) return
  const userId = imported.id
  await tx.account.deleteMany({ where: { userId } })
  await tx.session.deleteMany({ where: { userId } })
  await deleteTwoFactor(tx, userId)
  await voidOneTimeTokens(tx, userId, ['reset-password'])
  await markEmailVerified(ctx, tx, { userId, email })
}
