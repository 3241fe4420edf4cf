import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { sendOrganizationSuspension } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { lockOrganization } from '../organizations/membership.ts'
import { asOperator, type Operator, toActor } from './operator.ts'
import { suspendOrganizationInput } from './organization-contract.ts'
import { showOrganization } from './organizations.ts'

type Change = 'suspend-organization' | 'restore-organization'

/** Its roles, active sessions and API keys stop working. Changes nothing if it is suspended already. ORGANIZATION_NOT_FOUND. */
export const suspendOrganization = (
  operator: Operator<'suspend-organization', 'organization-suspension'>,
  id: string,
  reason: string,
): Promise<void> =>
  changeSuspension(operator, 'suspend-organization', id, reason, async (tx) => {
    const { count } = await tx.organization.updateMany({
      where: { id, suspendedAt: null },
      data: { suspendedAt: new Date() },
    })
    await tx.session.updateMany({ where: { activeOrganizationId: id }, data: { activeOrganizationId: null } })
    return count > 0
  })

/** Ignores an organization that is not suspended. ORGANIZATION_NOT_FOUND. */
export const restoreOrganization = (
  operator: Operator<'restore-organization', 'organization-suspension'>,
  id: string,
  reason: string,
): Promise<void> =>
  changeSuspension(operator, 'restore-organization', id, reason, async (tx) => {
    const { count } = await tx.organization.updateMany({ where: { id, suspendedAt: { not: null } }, data: { suspendedAt: null } })
    return count > 0
  })

/** Records the change for each owner, in whose activity it is, and mails them. */
async function changeSuspension<Action extends Change>(
  operator: Operator<Action, 'organization-suspension'>,
  action: Action,
  organizationId: string,
  reason: string,
  change: (tx: Transaction) => Promise<boolean>,
): Promise<void> {
  const { ctx } = operator
  const owners = await ctx.db.member.findMany({ where: { organizationId, role: 'owner' }, select: { userId: true } })
  await ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, ...owners.map(({ userId }) => userId))
    if (!(await lockOrganization(tx, organizationId))) throw new AppError('ORGANIZATION_NOT_FOUND')
    if (!(await change(tx))) return
    const current = await tx.member.findMany({ where: { organizationId, role: 'owner' }, select: { userId: true } })
    const event = { organizationId, ...toActor(operator), action, details: { reason } }
    await ctx.record(tx, ...current.map(({ userId }) => ({ ...event, userId })))
    await sendOrganizationSuspension(ctx, tx, organizationId)
  })
}

const handling = {
  sensitive: true,
  input: suspendOrganizationInput,
  limit: null,
  lock: 'own',
  mails: ['organization-suspension'],
  cookies: [],
} as const

/** ORGANIZATION_NOT_FOUND. */
export const suspendAnyOrganization = customMutation({
  ...handling,
  access: 'organization:suspend',
  events: ['suspend-organization'],

  async run({ ctx, input: { organizationId, reason } }) {
    await suspendOrganization(asOperator(ctx, 'organization:suspend'), organizationId, reason)
    return { organization: await showOrganization({ ctx }, organizationId) }
  },
})

/** ORGANIZATION_NOT_FOUND. */
export const restoreAnyOrganization = customMutation({
  ...handling,
  access: 'organization:restore',
  events: ['restore-organization'],

  async run({ ctx, input: { organizationId, reason } }) {
    await restoreOrganization(asOperator(ctx, 'organization:restore'), organizationId, reason)
    return { organization: await showOrganization({ ctx }, organizationId) }
  },
})
