import { AppError } from '../kernel/errors.ts'
import { publicProcedure } from '../trpc.ts'

/** Codes by mail are not offered: who reads the mailbox could reset the password too, so they would be no second factor. OTP_NOT_CONFIGURED. */
export const refuseMailedCode = publicProcedure.mutation((): never => {
  throw new AppError('OTP_NOT_CONFIGURED')
})

/** Only hashes of backup codes are kept, so there is nothing to show twice. BACKUP_CODES_SHOWN_ONCE. */
export const refuseToShowBackupCodes = publicProcedure.mutation((): never => {
  throw new AppError('BACKUP_CODES_SHOWN_ONCE')
})
