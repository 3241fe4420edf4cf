import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { deleteAccount, deleteSoleOrganizations, findSoleOrganizations } from '../users/delete-account.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { changeWithApproval } from './approvals.ts'
import { actOnUserInput } from './contract.ts'
import { asApprovingOperator, requireUser } from './operator.ts'

/** Records the event for the administrator: the events of the user are deleted with the account. YOU_CANNOT_REMOVE_YOURSELF, ACCOUNT_LOCKED. */
export const removeUser = customMutation({
  access: 'user:delete',
  sensitive: true,
  input: actOnUserInput,
  limit: null,
  lock: 'own',
  events: ['remove-user', 'request-approval', 'reject-approval'],
  mails: ['account-deleted', 'approval-requested'],
  cookies: [],

  async run({ ctx, input: { userId, reason } }) {
    if (userId === ctx.user.id) throw new AppError('YOU_CANNOT_REMOVE_YOURSELF')
    await requireUser({ ctx }, userId)
    const operator = asApprovingOperator<'remove-user', 'account-deleted'>(ctx, 'user:delete')
    await changeWithApproval(
      operator,
      { action: 'remove-user', userId, detail: '', reason },
      {
        async check(tx) {
          const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
          assertUnlocked(user)
          await findSoleOrganizations(tx, userId)
          return user
        },
        async change(tx, user, approved) {
          await deleteSoleOrganizations(tx, userId)
          await deleteAccount(ctx, tx, user)
          const details = { ...approved, user: userId }
          await ctx.record(tx, { userId: ctx.user.id, action: 'remove-user', details })
        },
      },
    )
    return { success: true as const }
  },
})
