import type { Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { type AuthenticationMethod, isPasskeyMethod } from '../sessions/authentication.ts'
import { hasUsablePasskey } from '../users/sign-in-methods.ts'

export type TwoFactorMethod = 'totp' | 'passkey'

/** The second factors that a user can add to this first one. Two passkeys are not two factors. */
export async function findTwoFactorMethods(
  ctx: Pick<Context, 'settings'>,
  db: Transaction,
  userId: string,
  firstFactor: AuthenticationMethod,
): Promise<TwoFactorMethod[]> {
  const hasTotp = (await db.twoFactor.count({ where: { userId, confirmedAt: { not: null } } })) > 0
  const hasPasskey = !isPasskeyMethod(firstFactor) && (await hasUsablePasskey(ctx, db, userId))
  return [...(hasTotp ? (['totp'] as const) : []), ...(hasPasskey ? (['passkey'] as const) : [])]
}
