import type { Prisma, Transaction, User } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { ConfirmationLevel } from '../kernel/settings.ts'
import { mutation } from '../mutation.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import {
  checkUserVerification,
  type PasskeyContext,
  passkeyActions,
  passkeyMails,
  verifyStoredChallenge,
} from '../passkeys/verify-passkey.ts'
import { toPublicJwk } from '../passkeys/webauthn.ts'
import { type CodeContext, verifyCode } from '../two-factor/verify-code.ts'
import { requirePendingConfirmation } from './confirmation.ts'
import { getConfirmationLevel, isBlockedByHold } from './confirmation-level.ts'
import { approveConfirmationInput } from './contract.ts'
import { type StoredAssertion, signReceipt } from './receipt.ts'
import { getChallenge, readTransaction } from './transaction-challenge.ts'

type Proof = { approvedBy: 'none' | 'otp' | 'hwk' | 'swk'; assertion?: StoredAssertion }

/** `wrong` counts as an attempt. `unavailable` does not: nothing was compared. */
type ProofCheck = Proof | { wrong: AppError } | { unavailable: AppError }

/**
 * The rule for the type and the amount decides which proof is enough. Errors of `requirePendingConfirmation`; ACCOUNT_HELD, PASSKEY_REQUIRED,
 * PASSKEY_NOT_FOUND, AUTHENTICATION_FAILED, USER_VERIFICATION_REQUIRED; errors of `verifyCode`.
 */
export const approveConfirmation = mutation({
  access: 'session',
  sensitive: true,
  input: approveConfirmationInput,
  limit: 'answer-confirmation:ip',
  events: ['approve-confirmation', 'refuse-confirmation', 'lock-two-factor', ...passkeyActions],
  mails: ['two-factor-locked', 'backup-code-used', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const { id, type, canonical } = await requirePendingConfirmation(tx, ctx, input.id)
    const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
    const level = getConfirmationLevel(ctx.settings.confirmationRules, readTransaction(canonical).authorization_details)
    if (isBlockedByHold(level, user)) throw new AppError('ACCOUNT_HELD')
    const proof = await checkProof(ctx, tx, user, { ...input, level, challenge: getChallenge(canonical) })
    const details = { confirmation: id, type }
    if ('unavailable' in proof) return { events: [], refusal: proof.unavailable }
    if ('wrong' in proof) {
      await countFailure(tx, id)
      return {
        events: [{ action: 'refuse-confirmation', succeeded: false, details: { ...details, reason: proof.wrong.key } }],
        refusal: proof.wrong,
      }
    }
    const { approvedBy, assertion } = proof
    const approved = await tx.confirmation.update({
      where: { id },
      data: { approvedAt: new Date(), approvedBy, ...(assertion && { assertion: assertion satisfies Prisma.InputJsonObject }) },
    })
    return { events: [{ action: 'approve-confirmation', details: { ...details, factor: approvedBy } }], result: approved }
  },
  answer: async ({ ctx, result }) => ({ receipt: await signReceipt(ctx, await ctx.signingKeys.current(), result) }),
})

type Given = {
  level: ConfirmationLevel
  challenge: string
  response?: PasskeyAssertion | undefined
  code?: string | undefined
}

/** A passkey satisfies every level. PASSKEY_REQUIRED. */
async function checkProof(
  ctx: PasskeyContext & CodeContext,
  tx: Transaction,
  user: User,
  { level, challenge, response, code }: Given,
): Promise<ProofCheck> {
  if (response) return checkPasskey(ctx, tx, user, response, challenge)
  if (level === 'none') return { approvedBy: 'none' }
  if (level !== 'otp' || code === undefined) throw new AppError('PASSKEY_REQUIRED')
  const check = await verifyCode(ctx, tx, user, { code, type: 'totp' })
  if (check.outcome === 'right') return { approvedBy: 'otp' }
  return check.outcome === 'wrong' ? { wrong: check.error } : { unavailable: check.error }
}

async function checkPasskey(
  ctx: PasskeyContext,
  tx: Transaction,
  user: User,
  response: PasskeyAssertion,
  challenge: string,
): Promise<ProofCheck> {
  const passkey = checkUserVerification(await verifyStoredChallenge(ctx, tx, user.id, response, challenge))
  if (passkey instanceof AppError) return { wrong: passkey }
  const { clientDataJSON, authenticatorData, signature } = response.response
  return {
    approvedBy: passkey.method,
    assertion: {
      id: response.id,
      type: 'public-key',
      publicKey: toPublicJwk(passkey.publicKey),
      clientDataJSON,
      authenticatorData,
      signature,
    },
  }
}

/** The last attempt rejects the confirmation. */
async function countFailure(tx: Transaction, id: string): Promise<void> {
  const { failedAttempts } = await tx.confirmation.update({ where: { id }, data: { failedAttempts: { increment: 1 } } })
  if (failedAttempts >= policy.confirmations.attempts)
    await tx.confirmation.update({ where: { id }, data: { rejectedAt: new Date() } })
}
