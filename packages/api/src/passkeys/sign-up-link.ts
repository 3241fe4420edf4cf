import type { Transaction, User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import type { PendingProfile } from '../mail/notifications.ts'
import { consumeOneTimeToken, findOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import { lockUser } from '../users/lock-user.ts'
import { markEmailVerified, type VerifyContext } from '../users/mark-email-verified.ts'

/** Does not consume the link. INVALID_TOKEN, TOKEN_EXPIRED. */
export async function findSignUp(db: Transaction, token: string): Promise<User> {
  const { user } = await findOneTimeToken(db, 'create-passkey', token)
  if (user.emailVerified || user.suspendedAt) throw new AppError('INVALID_TOKEN')
  return user
}

/** Does not consume the link. INVALID_TOKEN, TOKEN_EXPIRED. */
export async function lockSignUp(tx: Transaction, token: string): Promise<User> {
  const user = await findSignUp(tx, token)
  if (!(await lockUser(tx, user.id))) throw new AppError('INVALID_TOKEN')
  return user
}

/** Verifies the email. Deletes other sign-in methods, since another person may have added them. INVALID_TOKEN, TOKEN_EXPIRED. */
export async function consumeSignUpLink(ctx: VerifyContext, tx: Transaction, userId: string, token: string): Promise<User> {
  const link = await consumeOneTimeToken(tx, 'create-passkey', token)
  const pending = JSON.parse(openPayload(ctx, link)) as PendingProfile
  await tx.account.deleteMany({ where: { userId, user: { emailVerified: false } } })
  const verified = await markEmailVerified(ctx, tx, { userId, email: link.email ?? '', pending })
  const user = await tx.user.findUnique({ where: { id: userId, suspendedAt: null } })
  if (!verified || !user) throw new AppError('INVALID_TOKEN')
  return user
}
