import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { policy } from '../kernel/policy.ts'
import { type ProviderId, providerIds } from '../kernel/provider-ids.ts'
import { hasOpenUndo } from '../users/open-undo.ts'
import { hasUsablePasskey } from '../users/sign-in-methods.ts'

export type ReauthenticationMethod = 'passkey' | 'password' | 'code' | ProviderId | 'email'

/** An emailed link is the last resort, and needs a week-old email: a thief may have just changed it. */
export async function findReauthenticationMethods(
  ctx: Context,
  db: Transaction,
  { id: userId, createdAt, twoFactorEnabled, emailVerified }: User,
): Promise<ReauthenticationMethod[]> {
  const accounts = await db.account.findMany({ where: { userId }, select: { providerId: true, passwordHash: true } })
  const methods: ReauthenticationMethod[] = [
    ...((await hasUsablePasskey(ctx, db, userId)) ? (['passkey'] as const) : []),
    ...(accounts.some(({ passwordHash }) => passwordHash !== null) ? (['password'] as const) : []),
    ...(twoFactorEnabled ? (['code'] as const) : []),
    ...providerIds.filter((id) => ctx.providers.has(id) && accounts.some(({ providerId }) => providerId === id)),
  ]
  if (methods.length > 0) return methods
  const isOldEnough = createdAt.getTime() + policy.reauthentication.addressAge * 1000 <= Date.now()
  return emailVerified && isOldEnough && !(await hasOpenUndo(db, userId)) ? ['email'] : []
}
