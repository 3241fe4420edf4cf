import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { rejectApprovalInput } from './contract.ts'
import { asOperator, assertNotOneself, toActor } from './operator.ts'

/** Drops a request that waits for a second administrator; the one who asked may do it too. Not the user whom it concerns: YOU_CANNOT_ADMINISTER_YOURSELF. APPROVAL_NOT_FOUND. */
export const rejectApproval = customMutation({
  access: 'approval:reject',
  sensitive: true,
  input: rejectApprovalInput,
  limit: null,
  lock: 'own',
  events: ['reject-approval'],
  mails: [],
  cookies: [],

  async run({ ctx, input: { approvalId } }) {
    const operator = asOperator<'reject-approval', never>(ctx, 'approval:reject')
    const found = await ctx.db.approval.findUnique({ where: { id: approvalId } })
    if (!found) throw new AppError('APPROVAL_NOT_FOUND')
    const { userId, action } = found
    assertNotOneself(ctx, userId)
    await ctx.db.$transaction(async (tx) => {
      await operator.lockSubject(tx, userId)
      const { count } = await tx.approval.deleteMany({ where: { id: approvalId } })
      if (count === 0) throw new AppError('APPROVAL_NOT_FOUND')
      await ctx.record(tx, { userId, ...toActor(operator), action: 'reject-approval', details: { act: action } })
    })
    return { success: true as const }
  },
})
