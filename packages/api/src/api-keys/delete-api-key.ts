import { describeKey } from '../api-key-checks/describe-key.ts'
import { mutation } from '../mutation.ts'
import { deleteApiKeyInput } from './contract.ts'
import { assertConfiguration, lockKeyOwner, requireOwnKey } from './key-owner.ts'

/** This process refuses the key from the next call on, the others once the database has announced it. KEY_NOT_FOUND, INSUFFICIENT_API_KEY_PERMISSIONS. */
export const deleteApiKey = mutation({
  access: 'session',
  sensitive: false,
  input: deleteApiKeyInput,
  limit: 'change-api-keys:user',
  events: ['delete-api-key', 'accept-membership'],
  mails: [],
  cookies: [],

  prepare({ ctx, input: { keyId, configId } }) {
    assertConfiguration(configId)
    return requireOwnKey(ctx.db, keyId, ctx.user.id, 'delete')
  },
  lock: (tx, { ctx, prepared }) => lockKeyOwner(tx, ctx, prepared),
  async change(tx, { ctx, input: { keyId } }) {
    const key = await requireOwnKey(tx, keyId, ctx.user.id, 'delete')
    const { id, organizationId } = key
    await tx.apiKey.delete({ where: { id } })
    const details = { key: describeKey(key) }
    return {
      events: [{ ...(organizationId !== null && { organizationId }), action: 'delete-api-key', details }],
      result: { success: true as const },
    }
  },
})
