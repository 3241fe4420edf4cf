import { describeKey } from '../api-key-checks/describe-key.ts'
import { isKeySecret } from '../api-key-checks/key-secret.ts'
import { hashToken } from '../kernel/random-token.ts'
import { sendApiKeyLeaked } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { lockOrganization } from '../organizations/membership.ts'
import { transact } from '../transact.ts'
import { lockUser } from '../users/lock-user.ts'
import { reportApiKeyInput } from './contract.ts'

/** For scanners and finders of a leaked secret: deletes its key and tells the owner. Answers the same for an unknown secret. */
export const reportApiKey = customMutation({
  access: 'public',
  input: reportApiKeyInput,
  limit: 'report-api-key:ip',
  lock: 'own',
  events: ['report-api-key'],
  mails: ['api-key-leaked'],
  cookies: [],

  async run({ ctx, input: { key: secret } }) {
    const status = { status: true as const }
    if (!isKeySecret(secret)) return status
    const secretHash = hashToken(secret)
    const known = await ctx.db.apiKey.findUnique({ where: { secretHash } })
    if (!known) return status
    return transact(
      ctx,
      async (tx) => {
        await lockUser(tx, known.userId)
        if (known.organizationId !== null) await lockOrganization(tx, known.organizationId)
      },
      async (tx) => {
        const key = await tx.apiKey.findUnique({ where: { secretHash }, include: { user: true } })
        if (!key) return { events: [], result: status }
        await tx.apiKey.delete({ where: { id: key.id } })
        await sendApiKeyLeaked(ctx, tx, key.user, key)
        const { userId, organizationId } = key
        const details = { key: describeKey(key) }
        return {
          events: [
            { userId, actorId: 'report', ...(organizationId !== null && { organizationId }), action: 'report-api-key', details },
          ],
          result: status,
        }
      },
    )
  },
})
