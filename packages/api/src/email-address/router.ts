import { router } from '../trpc.ts'
import { changeEmail } from './change-email.ts'
import { sendVerificationEmail } from './send-verification-email.ts'
import { checkUndoLink, undoEmailChange } from './undo-email-change.ts'
import { verifyEmail } from './verify-email.ts'

export const emailAddressRouter = router({
  sendVerification: sendVerificationEmail,
  verify: verifyEmail,
  change: changeEmail,
  undoChange: undoEmailChange,
  checkUndoLink,
})
