import { AppError } from '../kernel/errors.ts'
import { sendTwoFactorDisabled } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { deleteTwoFactor } from '../users/delete-two-factor.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { startHold } from '../users/start-hold.ts'
import { changeWithApproval } from './approvals.ts'
import { actOnUserInput } from './contract.ts'
import { type ApprovingOperator, asApprovingOperator, assertNotOneself, requireUser, toActor } from './operator.ts'

/** Disables a lost second factor and mails the owner. USER_NOT_FOUND, TWO_FACTOR_NOT_ENABLED, ACCOUNT_LOCKED, APPROVAL_REQUIRED. */
export async function disableUserTwoFactor(
  operator: ApprovingOperator<'disable-two-factor', 'two-factor-disabled'>,
  identifier: string,
  reason: string,
): Promise<void> {
  const { ctx } = operator
  const { id: userId } = await requireUser(operator, identifier)
  await changeWithApproval(
    operator,
    { action: 'disable-two-factor', userId, detail: '', reason },
    {
      async check(tx) {
        const current = await tx.user.findUniqueOrThrow({ where: { id: userId } })
        if (!current.twoFactorEnabled) throw new AppError('TWO_FACTOR_NOT_ENABLED')
        assertUnlocked(current)
      },
      async change(tx, _checked, approved) {
        const user = await deleteTwoFactor(tx, userId)
        await ctx.record(tx, { userId, ...toActor(operator), action: 'disable-two-factor', details: approved })
        await startHold(ctx, tx, userId, 'operator')
        await sendTwoFactorDisabled(ctx, tx, user)
      },
    },
  )
}

export const disableTwoFactorOfUser = customMutation({
  access: 'user:disable-two-factor',
  sensitive: true,
  input: actOnUserInput,
  limit: null,
  lock: 'own',
  events: ['disable-two-factor', 'request-approval', 'reject-approval'],
  mails: ['two-factor-disabled', 'approval-requested'],
  cookies: [],

  async run({ ctx, input: { userId, reason } }) {
    assertNotOneself(ctx, userId)
    const operator = asApprovingOperator<'disable-two-factor', 'two-factor-disabled'>(ctx, 'user:disable-two-factor')
    await disableUserTwoFactor(operator, userId, reason)
    return { success: true as const }
  },
})
