import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from '@floorpass/db'
import { describeKey } from '../api-key-checks/describe-key.ts'
import { createKeySecret, startOf } from '../api-key-checks/key-secret.ts'
import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { readPublicKey } from '../api-key-checks/public-key.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'
import { type Scope, toScopes } from '../kernel/scopes.ts'
import { sendApiKeyCreated } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { createApiKeyInput } from './contract.ts'
import { assertLength, assertNoServerField, assertOwnScopes, toColumns } from './key-fields.ts'
import { assertConfiguration, lockKeyOwner, requireKeyRole } from './key-owner.ts'
import { confirmWithdrawals } from './withdrawal-confirmation.ts'

/** Without `permissions`, a key only reads. */
const usualScopes = ['account:read', 'order:read'] as const satisfies Scope[]

/**
 * The answer holds the secret, for the only time; with a `publicKey` there is none.
 * SESSION_NOT_FRESH, API_KEY_LIMIT_REACHED, INVALID_PREFIX_LENGTH; also errors of `assertNoServerField`, `assertConfiguration`, `toColumns`,
 * `readPublicKey`, `requireKeyRole`, `assertOwnScopes` and `confirmWithdrawals`.
 */
export const createApiKey = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: createApiKeyInput,
  limit: 'change-api-keys:user',
  events: ['create-api-key', 'accept-membership', 'refuse-passkey'],
  mails: ['api-key-created', 'passkey-counter'],
  cookies: [],

  prepare({ input }) {
    assertNoServerField(input)
    assertConfiguration(input.configId)
    assertLength(input.prefix, 'INVALID_PREFIX_LENGTH')
    const { prefix = null, publicKey } = input
    const columns = { ...toColumns(input), prefix, scopes: input.permissions ? toScopes(input.permissions) : [...usualScopes] }
    if (publicKey !== undefined) return { secret: null, columns: { ...columns, publicKey: readPublicKey(publicKey) } }
    const secret = createKeySecret(input.organizationId === undefined ? 'user' : 'org')
    const shown = `${prefix ?? ''}${secret}`
    return { secret: shown, columns: { ...columns, secretHash: hashToken(secret), start: startOf(shown) } }
  },
  async lock(tx, { ctx, input: { organizationId = null } }) {
    // Before the lock, which would answer another code to an outsider; and after it, since the role may have changed.
    if (organizationId !== null) await requireKeyRole(tx, organizationId, ctx.user.id, 'create')
    await lockKeyOwner(tx, ctx, { organizationId, userId: ctx.user.id })
    if (organizationId !== null) await requireKeyRole(tx, organizationId, ctx.user.id, 'create')
  },
  async change(tx, { ctx, input: { organizationId = null, passkey }, prepared: { secret, columns } }) {
    const userId = ctx.user.id
    await assertBelowLimit(tx, organizationId, userId)
    assertOwnScopes(ctx, columns.scopes)
    const refusal = await confirmWithdrawals(ctx, tx, columns.scopes, passkey)
    if (refusal) return { events: [], refusal }
    const key = await tx.apiKey.create({ data: { ...columns, id: randomUUIDv7(), userId, organizationId } })
    await sendApiKeyCreated(ctx, tx, ctx.user, key)
    const details = { key: describeKey(key), permissions: key.scopes.join(' ') }
    return {
      events: [{ ...(organizationId !== null && { organizationId }), action: 'create-api-key', details }],
      result: { ...presentApiKey(key), ...(secret !== null && { key: secret }) },
    }
  },
})

/** The caller holds the lock of the owner. */
async function assertBelowLimit(tx: Transaction, organizationId: string | null, userId: string): Promise<void> {
  const count = await tx.apiKey.count({ where: organizationId === null ? { userId, organizationId } : { organizationId } })
  const most = organizationId === null ? policy.apiKeys.perUser : policy.apiKeys.perOrganization
  if (count >= most) throw new AppError('API_KEY_LIMIT_REACHED')
}
