import { router } from '../trpc.ts'
import { getJwks } from './get-jwks.ts'
import { getToken } from './get-token.ts'
import { verifyCaller } from './verify-caller.ts'

export const accessRouter = router({
  verify: verifyCaller,
  getToken,
  getJwks,
})
