import { AppError } from '../kernel/errors.ts'
import { fieldFailure, fieldProblems, passwordLength } from '../kernel/field-problems.ts'
import { normalizePassword } from '../password-hashing/normalize-password.ts'
import { easilyGuessed } from './password-strength.ts'

export type PasswordOwner = { email: string; name: string; appName: string }

type PasswordField = 'password' | 'newPassword'

/** Throws PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG or PASSWORD_TOO_COMMON. `field`: the name of the form field. */
export async function assertPasswordAllowed(password: string, owner: PasswordOwner, field: PasswordField): Promise<void> {
  const length = [...normalizePassword(password)].length
  if (length < passwordLength.min) {
    throw new AppError('PASSWORD_TOO_SHORT', { fields: { [field]: fieldFailure('passwordTooShort') } })
  }
  if (length > passwordLength.max) {
    throw new AppError('PASSWORD_TOO_LONG', { fields: { [field]: fieldFailure('passwordTooLong') } })
  }
  const reason = await easilyGuessed(password, [
    owner.appName,
    owner.email,
    owner.email.split('@', 1).join(),
    owner.name,
    ...owner.name.split(/\s+/),
    ...owner.email.split(/[@.+_-]/),
  ])
  if (reason !== null)
    throw new AppError('PASSWORD_TOO_COMMON', {
      message: `Password too easy to guess: ${fieldProblems[reason]}`,
      fields: { [field]: fieldFailure(reason) },
    })
}
