import { describeKey } from '../api-key-checks/describe-key.ts'
import { findKeySecrets } from '../api-key-checks/key-secret.ts'
import { hashToken } from '../kernel/random-token.ts'
import { sendApiKeyLeaked } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { lockOrganization } from '../organizations/membership.ts'
import { transact } from '../transact.ts'
import { lockUser } from '../users/lock-user.ts'
import { reportApiKeyInput } from './contract.ts'

/** For scanners and finders of leaked secrets: deletes their keys and tells the owners. Answers the same for an unknown secret. */
export const reportApiKey = customMutation({
  access: 'public',
  sensitive: false,
  input: reportApiKeyInput,
  limit: 'report-api-key:ip',
  lock: 'own',
  events: ['report-api-key'],
  mails: ['api-key-leaked'],
  cookies: [],

  async run({ ctx, input: { key: text } }) {
    const secretHashes = findKeySecrets(text).map(hashToken)
    const known = await ctx.db.apiKey.findMany({ where: { secretHash: { in: secretHashes } } })
    for (const { id, userId, organizationId } of known)
      await transact(
        ctx,
        async (tx) => {
          await lockUser(tx, userId)
          if (organizationId !== null) await lockOrganization(tx, organizationId)
        },
        async (tx) => {
          const key = await tx.apiKey.findUnique({ where: { id } })
          if (!key) return { events: [], result: null }
          await tx.apiKey.delete({ where: { id } })
          await sendApiKeyLeaked(ctx, tx, key)
          const inOrganization = organizationId !== null && { organizationId }
          const details = { key: describeKey(key) }
          return { events: [{ userId, actorId: 'report', ...inOrganization, action: 'report-api-key', details }], result: null }
        },
      )
    return { status: true as const }
  },
})
