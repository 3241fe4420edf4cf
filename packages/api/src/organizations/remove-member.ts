import type { Member } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { may } from '../kernel/role-permissions.ts'
import { sendMemberRemoved } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { requireUnlocked } from '../users/lock-user.ts'
import { removeMemberInput } from './contract.ts'
import { attributeTo } from './invitation.ts'
import {
  assertMayChangeOwners,
  assertNotLastOwner,
  canManageRole,
  deleteMembership,
  findMembership,
  lockAsMember,
  requireOrganizationId,
} from './membership.ts'
import { presentMember } from './present-organization.ts'

/** Removes a member, and notifies them unless they removed themselves. Also errors of `lockAsMember`, `assertMayChangeOwners` and `assertNotLastOwner`. */
export const removeMember = mutation({
  access: 'session',
  sensitive: 'in-part',
  input: removeMemberInput,
  limit: 'change-organization:user',
  events: ['remove-member', 'accept-membership', 'cancel-invitation'],
  mails: ['member-removed'],
  cookies: [],

  prepare: ({ ctx, input }) => findMember(ctx, requireOrganizationId(ctx, input.organizationId), input.memberIdOrEmail),
  lock: (tx, { ctx, input, prepared }) =>
    lockAsMember(tx, ctx, requireOrganizationId(ctx, input.organizationId), prepared ? [prepared.userId] : []),
  async change(tx, { ctx, prepared, locked: caller }) {
    const { organizationId } = caller
    if (!may(caller.role, 'member', 'delete')) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    const member = prepared && (await findMembership(tx, organizationId, prepared.userId))
    if (!member) throw new AppError('MEMBER_NOT_FOUND')
    if (!canManageRole(caller, member.role)) throw new AppError('YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER')
    if (!isNew(member)) await requireUnlocked(tx, ctx.user.id)
    await assertMayChangeOwners(tx, ctx, caller, [member.role])
    await assertNotLastOwner(tx, member, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')

    await deleteMembership(tx, ctx, member)
    const { userId, role } = member
    const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const { name } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
    if (userId !== ctx.user.id) await sendMemberRemoved(ctx, tx, user, { organization: name })
    return {
      events: [{ ...attributeTo(userId, ctx), organizationId, action: 'remove-member', details: { role } }],
      result: { member: presentMember(member) },
    }
  },
})

/** A thief may have added the member: a lock does not keep the owner from removing them. */
const isNew = ({ acceptedAt, heldUntil }: Member): boolean =>
  acceptedAt === null || (heldUntil !== null && heldUntil.getTime() > Date.now())

const findMember = ({ db }: Context, organizationId: string, memberIdOrEmail: string): Promise<Member | null> =>
  db.member.findFirst({
    where: { organizationId, OR: [{ id: memberIdOrEmail }, { user: { email: memberIdOrEmail.toLowerCase() } }] },
  })
