import type { Approval, Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { isLocked } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { type Mails, sendApprovalRequested } from '../mail/notifications.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'

type ApprovedAction = 'set-role' | 'restore-user' | 'remove-user' | 'disable-two-factor'

type Act = { action: ApprovedAction; userId: string; detail: string; reason: string }

/** `requestedBy`: the first administrator, when a second one asked for the same. */
type Approved = { reason: string; requestedBy?: string }

/** Null: the act waits for a second administrator. */
export type Approve = (tx: Transaction, act: Act) => Promise<Approved | null>

type Approver = { ctx: Context; lockSubject(tx: Transaction, userId: string): Promise<void>; approve: Approve }

type ApprovedChange<Checked, Result> = {
  /** Refuses what could not be done, before another administrator is asked. */
  check: (tx: Transaction) => Promise<Checked>
  change: (tx: Transaction, checked: Checked, approved: Approved) => Promise<Result>
}

/** Does what needs two administrators, in one transaction. APPROVAL_REQUIRED keeps the request of the first one. USER_NOT_FOUND. */
export async function changeWithApproval<Checked, Result>(
  { ctx, lockSubject, approve }: Approver,
  act: Act,
  { check, change }: ApprovedChange<Checked, Result>,
): Promise<Result> {
  const changed = await ctx.db.$transaction(async (tx) => {
    await lockSubject(tx, act.userId)
    const checked = await check(tx)
    const approved = await approve(tx, act)
    return approved && { result: await change(tx, checked, approved) }
  })
  if (!changed) throw new AppError('APPROVAL_REQUIRED')
  return changed.result
}

/** For the command line, which already has the database. */
export const approveAlone: Approve = async (_tx, { reason }) => ({ reason })

/** Approves what another administrator asked for, or keeps the request and mails the other administrators. */
export async function approveTogether(
  ctx: Context & ActiveSession & Records<'request-approval' | 'reject-approval'> & Mails<'approval-requested'>,
  tx: Transaction,
  act: Act,
): Promise<Approved | null> {
  const { action, userId, detail, reason } = act
  if (!(await needsTwo(ctx, tx))) return { reason }
  const actor = { actorId: ctx.user.id }
  const pending = await tx.approval.findUnique({ where: { userId_action: { userId, action } }, include: { requester: true } })
  const isSame = pending !== null && pending.detail === detail && pending.expiresAt > new Date()
  if (isSame && pending.requestedBy === ctx.user.id) return null
  if (isSame && isStillValid(pending)) {
    await tx.approval.delete({ where: { id: pending.id } })
    return { reason: pending.reason, requestedBy: pending.requestedBy }
  }
  if (pending) {
    await tx.approval.delete({ where: { id: pending.id } })
    if (!isSame && pending.expiresAt > new Date())
      await ctx.record(tx, { userId, ...actor, action: 'reject-approval', details: { act: action } })
  }
  const expiresAt = new Date(Date.now() + policy.administration.approvalLifetime * 1000)
  await tx.approval.create({ data: { userId, action, detail, reason, requestedBy: ctx.user.id, expiresAt } })
  await ctx.record(tx, { userId, ...actor, action: 'request-approval', details: { act: action, detail, reason } })
  const subject = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  const others = await tx.user.findMany({
    where: { role: 'admin', suspendedAt: null, id: { notIn: [ctx.user.id, userId] } },
    take: policy.administration.mostApproversMailed,
  })
  for (const other of others)
    await sendApprovalRequested(ctx, tx, other, { act: action, role: detail, requester: ctx.user.email, subject })
  return null
}

/** Whether the requester has stayed an administrator, neither suspended nor locked. */
const isStillValid = ({ createdAt, requester }: Approval & { requester: User }): boolean =>
  requester.role === 'admin' &&
  !requester.suspendedAt &&
  !isLocked(requester) &&
  createdAt >= (requester.roleGrantedAt ?? new Date(0))

/** A suspended administrator counts: suspending the others must not end the rule. */
async function needsTwo({ settings }: Context, tx: Transaction): Promise<boolean> {
  const { approval } = settings.administration
  return approval === 'auto' ? (await tx.user.count({ where: { role: 'admin' } })) >= 2 : approval === 'always'
}

export const presentApproval = ({ id, userId, action, detail, reason, requestedBy, createdAt, expiresAt }: Approval) => ({
  id,
  userId,
  action,
  role: action === 'set-role' ? detail : null,
  clearPassword: action === 'restore-user' && detail === 'clear-password',
  reason,
  requestedBy,
  createdAt,
  expiresAt,
})
