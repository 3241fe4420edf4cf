import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'

const refuseWith = (key: ErrorKey) =>
  customMutation({
    access: 'public',
    sensitive: false,
    input: null,
    limit: null,
    lock: 'none',
    events: [],
    mails: [],
    cookies: [],
    run: (): Promise<never> => Promise.reject(new AppError(key)),
  })

/** Throws OTP_NOT_CONFIGURED. Codes by email are no second factor: the mailbox can reset the password too. */
export const refuseEmailedCode = refuseWith('OTP_NOT_CONFIGURED')

export const refuseToShowBackupCodes = refuseWith('BACKUP_CODES_SHOWN_ONCE')
