import { AppError } from '../kernel/errors.ts'
import { publicProcedure } from '../trpc.ts'

/** Throws OTP_NOT_CONFIGURED. Codes by email are no second factor: the mailbox can reset the password too. */
export const refuseEmailedCode = publicProcedure.mutation((): never => {
  throw new AppError('OTP_NOT_CONFIGURED')
})

export const refuseToShowBackupCodes = publicProcedure.mutation((): never => {
  throw new AppError('BACKUP_CODES_SHOWN_ONCE')
})
