import { describeKey } from '../api-key-checks/describe-key.ts'
import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { AppError } from '../kernel/errors.ts'
import { toScopes } from '../kernel/scopes.ts'
import { sendApiKeyChanged } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { updateApiKeyInput } from './contract.ts'
import { assertOwnScopes } from './create-api-key.ts'
import { assertNoServerField, toColumns } from './key-fields.ts'
import { assertConfiguration, lockKeyOwner, requireOwnKey } from './key-owner.ts'
import { confirmWithdrawals } from './withdrawal-confirmation.ts'

/**
 * Changes what is given. What lets a key do more needs a recent reauthentication, sends a mail and, if the key withdraws, needs a passkey.
 * NO_VALUES_TO_UPDATE, KEY_NOT_FOUND, SESSION_NOT_FRESH, INSUFFICIENT_SCOPE, PASSKEY_REQUIRED; also errors of `toColumns`.
 */
export const updateApiKey = mutation({
  access: 'session',
  input: updateApiKeyInput,
  limit: 'change-api-keys:user',
  events: ['update-api-key', 'accept-membership', 'refuse-passkey'],
  mails: ['api-key-changed', 'passkey-counter'],
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
    const { organizationId, userId } = await requireOwnKey(ctx.db, input.keyId, ctx.user.id, 'update')
    return { columns, organizationId, creatorId: userId }
  },
  lock: (tx, { ctx, prepared: { organizationId } }) => lockKeyOwner(tx, ctx, organizationId),
  async change(tx, { ctx, input: { keyId, passkey }, prepared: { columns } }) {
    const before = await requireOwnKey(tx, keyId, ctx.user.id, 'update')
    const added = (columns.scopes ?? []).filter((scope) => !before.scopes.includes(scope))
    const isLooser =
      added.length > 0 || columns.enabled === true || columns.expiresAt !== undefined || columns.ipAllowlist !== undefined
    if (isLooser) assertReauthenticated(ctx.session)
    assertOwnScopes(ctx, added)
    // A thief who holds the key of the owner must not free it of its limits.
    const refusal = await confirmWithdrawals(ctx, tx, isLooser ? (columns.scopes ?? before.scopes) : [], passkey)
    if (refusal) return { events: [], refusal }
    const key = await tx.apiKey.update({ where: { id: keyId }, data: columns })
    if (isLooser) await sendApiKeyChanged(ctx, tx, ctx.user, key)
    const { organizationId } = key
    const details = { key: describeKey(key), fields: Object.keys(columns).join(',') }
    return {
      events: [{ ...(organizationId !== null && { organizationId }), action: 'update-api-key', details }],
      result: presentApiKey(key),
    }
  },
})
