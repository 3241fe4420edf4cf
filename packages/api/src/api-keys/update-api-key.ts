import type { ApiKey, Transaction } from '@floorpass/db'
import { describeKey } from '../api-key-checks/describe-key.ts'
import { allowsMoreAddresses } from '../api-key-checks/ip-allowlist.ts'
import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { isHeld } from '../kernel/account-protection.ts'
import { AppError } from '../kernel/errors.ts'
import { toScopes } from '../kernel/scopes.ts'
import { sendApiKeyChanged, sendApiKeyChangedByAnother } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { findMembership } from '../organizations/membership.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { requireUnlocked } from '../users/lock-user.ts'
import { updateApiKeyInput } from './contract.ts'
import { assertNoServerField, assertOwnScopes, toColumns } from './key-fields.ts'
import { assertConfiguration, lockKeyOwner, requireOwnKey } from './key-owner.ts'
import { confirmWithdrawals } from './withdrawal-confirmation.ts'

/**
 * Changes what is given. Widening a key needs a recent reauthentication, emails the caller and the creator and, if the key withdraws,
 * needs a passkey.
 * NO_VALUES_TO_UPDATE, SESSION_NOT_FRESH, ACCOUNT_LOCKED, ACCOUNT_HELD; also errors of `assertNoServerField`, `assertConfiguration`, `toColumns`, `requireOwnKey`,
 * `assertOwnScopes` and `confirmWithdrawals`.
 */
export const updateApiKey = mutation({
  access: 'session',
  sensitive: 'in-part',
  input: updateApiKeyInput,
  limit: 'change-api-keys:user',
  events: ['update-api-key', 'accept-membership', 'refuse-passkey'],
  mails: ['api-key-changed', 'api-key-changed-by-another', 'passkey-counter'],
  cookies: [],

  async prepare({ ctx, input }) {
    assertNoServerField(input)
    assertConfiguration(input.configId)
    const { permissions, enabled } = input
    const columns = {
      ...toColumns(input),
      ...(permissions !== undefined && { scopes: toScopes(permissions) }),
      ...(enabled !== undefined && { enabled }),
    }
    if (Object.keys(columns).length === 0) throw new AppError('NO_VALUES_TO_UPDATE')
    return { columns, key: await requireOwnKey(ctx.db, input.keyId, ctx.user.id, 'update') }
  },
  lock: (tx, { ctx, prepared }) => lockKeyOwner(tx, ctx, prepared.key),
  async change(tx, { ctx, input: { keyId, passkey }, prepared: { columns } }) {
    const before = await requireOwnKey(tx, keyId, ctx.user.id, 'update')
    const added = (columns.scopes ?? []).filter((scope) => !before.scopes.includes(scope))
    const isLooser = added.length > 0 || hasFewerLimits({ ...before, ...columns }, before)
    if (isLooser) await requireUnlocked(tx, ctx.user.id)
    if (isLooser && before.userId !== ctx.user.id) await requireNotHeld(tx, ctx.user.id, before.organizationId)
    if (isLooser) assertReauthenticated(ctx.session)
    assertOwnScopes(ctx, added)
    // A stolen session must not lift the limits of a key that withdraws.
    const refusal = await confirmWithdrawals(ctx, tx, isLooser ? (columns.scopes ?? before.scopes) : [], passkey)
    if (refusal) return { events: [], refusal }
    const key = await tx.apiKey.update({ where: { id: keyId }, data: columns })
    const { organizationId, userId: creatorId } = key
    if (isLooser) await sendApiKeyChanged(ctx, tx, ctx.user, key)
    // The creator is a member: a key ends with the membership of its creator.
    if (isLooser && creatorId !== ctx.user.id) await sendApiKeyChangedByAnother(ctx, tx, key, ctx.user.name)
    const details = { key: describeKey(key), fields: Object.keys(columns).join(',') }
    return {
      events: [{ ...(organizationId !== null && { organizationId }), action: 'update-api-key', details }],
      result: presentApiKey(key),
    }
  },
})

/** A thief may act through another admin's account, so that admin's hold counts too, not only the creator's. */
async function requireNotHeld(tx: Transaction, userId: string, organizationId: string | null): Promise<void> {
  const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  const membership = organizationId === null ? null : await findMembership(tx, organizationId, userId)
  if (isHeld(user) || (membership && isHeld(membership))) throw new AppError('ACCOUNT_HELD')
}

type Limits = Pick<ApiKey, 'enabled' | 'expiresAt' | 'ipAllowlist'>

const hasFewerLimits = (after: Limits, before: Limits): boolean =>
  (after.enabled && !before.enabled) ||
  toTime(after.expiresAt) > toTime(before.expiresAt) ||
  allowsMoreAddresses(after.ipAllowlist, before.ipAllowlist)

const toTime = (expiresAt: Date | null): number => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
