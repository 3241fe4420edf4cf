import { router } from '../trpc.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { getApiKey } from './get-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { reportApiKey } from './report-api-key.ts'
import { updateApiKey } from './update-api-key.ts'

export const apiKeysRouter = router({
  create: createApiKey,
  list: listApiKeys,
  get: getApiKey,
  update: updateApiKey,
  delete: deleteApiKey,
  report: reportApiKey,
})
