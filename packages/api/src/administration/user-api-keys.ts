import { describeKey } from '../api-key-checks/describe-key.ts'
import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { AppError } from '../kernel/errors.ts'
import { sendSupportAct } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { administratorProcedure } from '../trpc.ts'
import { listUserApiKeysInput, revokeUserApiKeyInput } from './operations-contract.ts'
import { asOperator, type Operator, type Reader, requireUser, toActor } from './operator.ts'

/** The keys that a user owns or created for an organization, newest first. USER_NOT_FOUND. */
export async function findUserApiKeys(reader: Reader, identifier: string) {
  const { id: userId } = await requireUser(reader, identifier)
  const keys = await reader.ctx.db.apiKey.findMany({ where: { userId }, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] })
  return keys.map(presentApiKey)
}

/** Every process refuses the key from now on. Mails its creator. KEY_NOT_FOUND. */
async function deleteUserApiKey(operator: Operator<'delete-api-key', 'support-act'>, id: string, reason: string): Promise<void> {
  const { ctx } = operator
  const found = await ctx.db.apiKey.findUnique({ where: { id } })
  if (!found) throw new AppError('KEY_NOT_FOUND')
  const { userId, organizationId } = found
  await ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, userId)
    const { count } = await tx.apiKey.deleteMany({ where: { id } })
    if (count === 0) throw new AppError('KEY_NOT_FOUND')
    await ctx.record(tx, {
      userId,
      ...(organizationId !== null && { organizationId }),
      ...toActor(operator),
      action: 'delete-api-key',
      details: { key: describeKey(found), reason },
    })
    const owner = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    await sendSupportAct(ctx, tx, owner, { act: 'api-key-deleted', until: null })
  })
}

/** Never with a secret. USER_NOT_FOUND. */
export const listUserApiKeys = administratorProcedure('key:list')
  .input(listUserApiKeysInput)
  .query(async ({ ctx, input }) => ({ apiKeys: await findUserApiKeys({ ctx }, input.userId) }))

/** KEY_NOT_FOUND. */
export const revokeUserApiKey = customMutation({
  access: 'key:revoke',
  sensitive: true,
  input: revokeUserApiKeyInput,
  limit: null,
  lock: 'own',
  events: ['delete-api-key'],
  mails: ['support-act'],
  cookies: [],

  async run({ ctx, input: { keyId, reason } }) {
    await deleteUserApiKey(asOperator(ctx, 'key:revoke'), keyId, reason)
    return { success: true as const }
  },
})
