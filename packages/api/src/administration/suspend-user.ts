import { AppError } from '../kernel/errors.ts'
import { sendPasswordCleared } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { cancelSentInvitations } from '../users/cancel-sent-invitations.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { startHold } from '../users/start-hold.ts'
import { banUserInput } from './contract.ts'
import { presentFoundUser } from './find-users.ts'
import { asOperator, type Operator, requireUser, toActor } from './operator.ts'

/** Suspends an account, ends its sessions and device trust, and voids its links and sent invitations. USER_NOT_FOUND. */
export async function suspendUser(
  operator: Operator<'suspend-user', never>,
  identifier: string,
  reason: string,
): Promise<{ revoked: number }> {
  const { id: userId } = await requireUser(operator, identifier)
  return operator.ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, userId)
    await tx.user.updateMany({ where: { id: userId, suspendedAt: null }, data: { suspendedAt: new Date() } })
    await tx.trustedDevice.deleteMany({ where: { userId } })
    // The owner may need this link to recover the account.
    await tx.verification.deleteMany({ where: { userId, usedAt: null, purpose: { not: 'undo-email-change' } } })
    const { count } = await tx.session.deleteMany({ where: { userId } })
    const invitations = await cancelSentInvitations(tx, userId)
    const entry = { userId, ...toActor(operator), details: { reason, sessions: count, invitations } }
    await operator.ctx.record(tx, { ...entry, action: 'suspend-user' })
    return { revoked: count }
  })
}

/** Lifts a suspension. Ignores an active account: a signed-in thief could set the password that `clearPassword` asks for. USER_NOT_FOUND. */
export async function restoreUser(
  operator: Operator,
  identifier: string,
  reason: string,
  { clearPassword: shouldClearPassword }: { clearPassword: boolean },
): Promise<{ restored: boolean }> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  return ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, userId)
    const [user] = await tx.user.updateManyAndReturn({
      where: { id: userId, suspendedAt: { not: null } },
      data: { suspendedAt: null },
    })
    if (!user) return { restored: false }
    // Under a lock, the reset that would follow is refused.
    if (shouldClearPassword) assertUnlocked(user)
    const entry = { userId, ...toActor(operator), details: { reason, clearPassword: shouldClearPassword } }
    await ctx.record(tx, { ...entry, action: 'restore-user' })
    await startHold(ctx, tx, userId, 'operator')
    if (shouldClearPassword) {
      await clearPassword(tx, userId)
      await sendPasswordCleared(ctx, tx, user)
    }
    return { restored: true }
  })
}

/** better-auth's name for a suspension. YOU_CANNOT_BAN_YOURSELF, USER_NOT_FOUND. The command line restores the user. */
export const banUser = customMutation({
  access: 'user:ban',
  sensitive: true,
  input: banUserInput,
  limit: null,
  lock: 'own',
  events: ['suspend-user'],
  mails: [],
  cookies: [],

  async run({ ctx, input: { userId, banReason } }) {
    if (userId === ctx.user.id) throw new AppError('YOU_CANNOT_BAN_YOURSELF')
    await suspendUser(asOperator(ctx, 'user:ban'), userId, banReason)
    return { user: presentFoundUser(await requireUser({ ctx }, userId)) }
  },
})
