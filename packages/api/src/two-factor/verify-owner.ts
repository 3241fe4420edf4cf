import type { Account, Transaction, User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { confirmByPasskey, getOwnerProofTime } from '../passkeys/confirm-by-passkey.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import { type PasskeyContext, passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import type { GuessContext } from '../password-guesses/password-guesses.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { type CodeContext, verifyCode } from './verify-code.ts'

/** What a wrong password or code may record and mail. */
export const proofActions = ['pause-password', 'lock-two-factor', ...passkeyActions] as const
export const proofMails = ['password-paused', 'two-factor-locked', 'backup-code-used', ...passkeyMails] as const

type PasswordScope = { ctx: GuessContext & ActiveSession; input: { password?: string | undefined } }

/** Throws the errors of `confirmPassword`. */
export const confirmPasswordIfGiven = async ({ ctx, input }: PasswordScope): Promise<Account | null> =>
  input.password === undefined ? null : confirmPassword(ctx, ctx.user.id, input.password)

type Proof = { account: Account | null; code: string | undefined; passkey: PasskeyAssertion | undefined }

/** Returns the error of a wrong code or passkey, so that the caller commits the count. Throws TWO_FACTOR_NOT_ENABLED. */
export async function verifyOwner(
  ctx: CodeContext & PasskeyContext & ActiveSession,
  tx: Transaction,
  { account, code = '', passkey }: Proof,
): Promise<User | AppError> {
  const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
  if (!user.twoFactorEnabled) throw new AppError('TWO_FACTOR_NOT_ENABLED')
  if (account) {
    await assertPasswordUnchanged(tx, account)
    return user
  }
  // A thief with a session could add a passkey, and prove with it that two-factor is theirs to turn off.
  if (passkey) return (await confirmByPasskey(ctx, tx, passkey, { olderThan: getOwnerProofTime() })) ?? user
  const check = await verifyCode(ctx, tx, user, { code })
  return check.outcome === 'right' ? user : check.error
}
