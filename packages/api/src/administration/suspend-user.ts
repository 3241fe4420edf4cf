import type { Prisma, Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { sendPasswordCleared, sendSupportAct } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { cancelSentInvitations } from '../users/cancel-sent-invitations.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { startHold } from '../users/start-hold.ts'
import { changeWithApproval } from './approvals.ts'
import { banUserInput, unbanUserInput } from './contract.ts'
import { presentFoundUser } from './find-users.ts'
import { type ApprovingOperator, asApprovingOperator, asOperator, type Operator, requireUser, toActor } from './operator.ts'

/** Suspends an account, ends its sessions and device trust, voids its links and sent invitations, and mails the user. USER_NOT_FOUND, USER_SUSPENDED. */
export async function suspendUser(
  operator: Operator<'suspend-user', 'support-act'>,
  identifier: string,
  reason: string,
  until: Date | null = null,
): Promise<{ revoked: number }> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  return ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, userId)
    await assertNoEarlierEnd(tx, userId, until)
    await tx.user.updateMany({ where: { id: userId, suspendedAt: null }, data: { suspendedAt: new Date() } })
    const user = await tx.user.update({ where: { id: userId }, data: { suspendedUntil: until } })
    await tx.approval.deleteMany({ where: { userId, action: 'restore-user' } })
    await tx.trustedDevice.deleteMany({ where: { userId } })
    // The owner may need this link to recover the account.
    await tx.verification.deleteMany({ where: { userId, usedAt: null, purpose: { not: 'undo-email-change' } } })
    const { count } = await tx.session.deleteMany({ where: { userId } })
    const invitations = await cancelSentInvitations(tx, userId)
    const details = { reason, sessions: count, invitations, ...(until && { until: until.toISOString() }) }
    await ctx.record(tx, { userId, ...toActor(operator), action: 'suspend-user', details })
    await sendSupportAct(ctx, tx, user, { act: 'suspended', until })
    return { revoked: count }
  })
}

/** An earlier end would lift the suspension without the second administrator. USER_SUSPENDED. */
async function assertNoEarlierEnd(tx: Transaction, userId: string, until: Date | null): Promise<void> {
  const { suspendedAt, suspendedUntil } = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  if (suspendedAt && until && (!suspendedUntil || until < suspendedUntil)) throw new AppError('USER_SUSPENDED')
}

/**
 * Lifts a suspension and mails the user. Ignores an active account: a signed-in thief could set the password that `clearPassword` asks for.
 * USER_NOT_FOUND, APPROVAL_REQUIRED.
 */
export async function restoreUser(
  operator: ApprovingOperator<'restore-user', 'password-cleared' | 'support-act'>,
  identifier: string,
  reason: string,
  { clearPassword: shouldClearPassword }: { clearPassword: boolean },
): Promise<{ restored: boolean }> {
  const { ctx } = operator
  const { id: userId, suspendedAt } = await requireUser(operator, identifier)
  if (!suspendedAt) return { restored: false }
  return changeWithApproval(
    operator,
    { action: 'restore-user', userId, detail: shouldClearPassword ? 'clear-password' : '', reason },
    {
      async check(tx) {
        // A locked account refuses the reset that clearing leads to.
        if (shouldClearPassword) assertUnlocked(await tx.user.findUniqueOrThrow({ where: { id: userId } }))
      },
      async change(tx, _checked, approved) {
        const user = await liftSuspension(ctx, tx, { id: userId, suspendedAt: { not: null } })
        if (!user) return { restored: false }
        const details = { ...approved, clearPassword: shouldClearPassword }
        await ctx.record(tx, { userId, ...toActor(operator), action: 'restore-user', details })
        if (shouldClearPassword) {
          await clearPassword(tx, userId)
          await sendPasswordCleared(ctx, tx, user)
        } else await sendSupportAct(ctx, tx, user, { act: 'restored', until: null })
        return { restored: true }
      },
    },
  )
}

/** Opens the account with a hold on withdrawals. Lock the user first. Null when no suspended user matches. */
export async function liftSuspension(
  ctx: Context,
  tx: Transaction,
  where: Prisma.UserWhereInput & { id: string },
): Promise<User | null> {
  const [user] = await tx.user.updateManyAndReturn({ where, data: { suspendedAt: null, suspendedUntil: null } })
  if (!user) return null
  await startHold(ctx, tx, user.id, 'operator')
  return user
}

/** better-auth's name for a suspension. YOU_CANNOT_BAN_YOURSELF; errors of `suspendUser`. */
export const banUser = customMutation({
  access: 'user:ban',
  sensitive: true,
  input: banUserInput,
  limit: null,
  lock: 'own',
  events: ['suspend-user'],
  mails: ['support-act'],
  cookies: [],

  async run({ ctx, input: { userId, banReason, banExpiresIn } }) {
    if (userId === ctx.user.id) throw new AppError('YOU_CANNOT_BAN_YOURSELF')
    const until = banExpiresIn === undefined ? null : new Date(Date.now() + banExpiresIn * 1000)
    await suspendUser(asOperator(ctx, 'user:ban'), userId, banReason, until)
    return { user: presentFoundUser(await requireUser({ ctx }, userId)) }
  },
})

/** Changes nothing for an active account. USER_NOT_FOUND, APPROVAL_REQUIRED. */
export const unbanUser = customMutation({
  access: 'user:ban',
  sensitive: true,
  input: unbanUserInput,
  limit: null,
  lock: 'own',
  events: ['restore-user', 'request-approval', 'reject-approval'],
  mails: ['password-cleared', 'support-act', 'approval-requested'],
  cookies: [],

  async run({ ctx, input: { userId, reason, clearPassword } }) {
    const operator = asApprovingOperator<'restore-user', 'password-cleared' | 'support-act'>(ctx, 'user:ban')
    await restoreUser(operator, userId, reason, { clearPassword })
    return { user: presentFoundUser(await requireUser({ ctx }, userId)) }
  },
})
