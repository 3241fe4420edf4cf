import { router } from '../trpc.ts'
import { changePassword } from './change-password.ts'
import { checkPassword } from './check-password.ts'
import { checkResetLink } from './check-reset-link.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { resetPassword } from './reset-password.ts'
import { setPassword } from './set-password.ts'

export const passwordsRouter = router({
  requestReset: requestPasswordReset,
  check: checkPassword,
  checkResetLink,
  reset: resetPassword,
  change: changePassword,
  set: setPassword,
})
