import { mutation } from '../mutation.ts'
import { lockCaller } from '../users/lock-user.ts'
import { setActiveOrganizationInput } from './contract.ts'
import { getOrganizationDetails } from './get-organization.ts'
import { lockAsMember, requireCallerMembership } from './membership.ts'

/** Sets the session's organization, or none. Errors of `requireCallerMembership`. */
export const setActiveOrganization = mutation({
  access: 'session',
  sensitive: false,
  input: setActiveOrganizationInput,
  limit: 'change-organization:user',
  events: ['accept-membership'],
  mails: [],
  cookies: [],

  async prepare({ ctx, input: { organizationId, organizationSlug } }) {
    if (organizationSlug === undefined && typeof organizationId !== 'string') return null
    return requireCallerMembership(ctx, { organizationId: organizationId ?? undefined, organizationSlug })
  },
  async lock(tx, { ctx, prepared }) {
    if (prepared) return lockAsMember(tx, ctx, prepared.organizationId)
    await lockCaller(tx, ctx)
    return null
  },
  async change(tx, { ctx, locked: caller }) {
    await tx.session.updateMany({
      where: { id: ctx.session.id },
      data: { activeOrganizationId: caller?.organizationId ?? null },
    })
    return { events: [], result: caller && (await getOrganizationDetails(tx, caller)) }
  },
})
