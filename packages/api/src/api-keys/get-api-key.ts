import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { sessionProcedure } from '../trpc.ts'
import { apiKeyInput } from './contract.ts'
import { assertConfiguration, requireOwnKey } from './key-owner.ts'

/** Without the secret, which is not stored. KEY_NOT_FOUND, INSUFFICIENT_API_KEY_PERMISSIONS. */
export const getApiKey = sessionProcedure.input(apiKeyInput).query(async ({ ctx, input: { id, configId } }) => {
  assertConfiguration(configId)
  return presentApiKey(await requireOwnKey(ctx.db, id, ctx.user.id, 'read'))
})
