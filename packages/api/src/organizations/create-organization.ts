import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'
import { mutation } from '../mutation.ts'
import { createOrganizationInput } from './contract.ts'
import { freeSlot } from './free-slot.ts'
import { createMembership } from './membership.ts'
import { presentMember, presentOrganization } from './present-organization.ts'

/** Creates an organization, owned by the caller. ORGANIZATION_ALREADY_EXISTS, and the errors of `createMembership`. */
export const createOrganization = mutation({
  access: 'session',
  sensitive: false,
  input: createOrganizationInput,
  limit: 'change-organization:user',
  events: ['create-organization', 'drop-membership', 'cancel-invitation'],
  mails: ['membership-dropped'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { keepCurrentActiveOrganization, metadata, ...fields } }) {
    // Before the insert: a transaction that waits for the slug may hold the organization that freeSlot locks.
    await freeSlot(ctx, tx)
    const [organization] = await tx.organization.createManyAndReturn({
      data: [{ ...fields, logo: fields.logo ?? null, ...(metadata && { metadata: metadata as object }) }],
      skipDuplicates: true,
    })
    if (!organization) throw new AppError('ORGANIZATION_ALREADY_EXISTS')
    const organizationId = organization.id
    const owner = await createMembership(tx, {
      id: randomUUIDv7(),
      organizationId,
      userId: ctx.user.id,
      role: 'owner',
      acceptedAt: new Date(),
      heldUntil: null,
    })
    if (!keepCurrentActiveOrganization)
      await tx.session.updateMany({ where: { id: ctx.session.id }, data: { activeOrganizationId: organizationId } })
    return {
      events: [{ organizationId, action: 'create-organization' }],
      result: { ...presentOrganization(organization), members: [presentMember(owner)] },
    }
  },
})
