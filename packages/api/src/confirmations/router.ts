import { router } from '../trpc.ts'
import { approveConfirmation } from './approve-confirmation.ts'
import { createConfirmation } from './create-confirmation.ts'
import { getConfirmation } from './get-confirmation.ts'
import { rejectConfirmation } from './reject-confirmation.ts'

export const confirmationsRouter = router({
  create: createConfirmation,
  get: getConfirmation,
  approve: approveConfirmation,
  reject: rejectConfirmation,
})
