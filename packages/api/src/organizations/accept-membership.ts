import { mutation } from '../mutation.ts'
import { acceptMembershipInput } from './contract.ts'
import { lockAsMember } from './membership.ts'
import { presentMember } from './present-organization.ts'

/** Accepts a membership that another member created. Repeats have no effect. ORGANIZATION_NOT_FOUND. */
export const acceptMembership = mutation({
  access: 'session',
  sensitive: false,
  input: acceptMembershipInput,
  limit: 'change-organization:user',
  events: ['accept-membership'],
  mails: [],
  cookies: [],

  lock: (tx, { ctx, input }) => lockAsMember(tx, ctx, input.organizationId),
  async change(_tx, { locked: member }) {
    return { events: [], result: presentMember(member) }
  },
})
