import { administratorProcedure } from '../trpc.ts'
import { presentApproval } from './approvals.ts'
import { listApprovalsInput } from './contract.ts'

/** The requests that wait for a second administrator, oldest first. */
export const listApprovals = administratorProcedure('approval:list')
  .input(listApprovalsInput)
  .query(async ({ ctx, input }) => {
    const approvals = await ctx.db.approval.findMany({
      where: { expiresAt: { gt: new Date() }, ...(input?.userId !== undefined && { userId: input.userId }) },
      include: { user: true, requester: true },
      orderBy: { createdAt: 'asc' },
      take: 100,
    })
    return {
      approvals: approvals.map((approval) => ({
        ...presentApproval(approval),
        email: approval.user.email,
        requesterEmail: approval.requester.email,
      })),
    }
  })
