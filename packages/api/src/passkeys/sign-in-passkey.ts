import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { isPasskeyMethod } from '../sessions/authentication.ts'
import { presentSession, presentUser } from '../sessions/present-session.ts'
import {
  openSession,
  requireSecondFactor,
  type SignInContext,
  type SignInResult,
  setSignInCookies,
  signInActions,
  signInCookies,
} from '../sign-in/complete-sign-in.ts'
import { transact } from '../transact.ts'
import { type Challenge, findChallenge, getFirstFactor, type SignInIntent } from '../two-factor/challenge.ts'
import { findTwoFactorMethods } from '../two-factor/two-factor-methods.ts'
import { signInPasskeyInput } from './contract.ts'
import { passkeyActions, passkeyMails, type VerifiedPasskey, verifyPasskey } from './verify-passkey.ts'

/**
 * Signs in, or completes a sign-in that waits for its second factor. Without user verification, a passkey is one of two factors.
 * CHALLENGE_NOT_FOUND, PASSKEY_NOT_FOUND, AUTHENTICATION_FAILED, USER_VERIFICATION_REQUIRED.
 */
export const signInPasskey = customMutation({
  access: 'public',
  sensitive: false,
  input: signInPasskeyInput,
  limit: 'passkey:ip',
  lock: 'own',
  events: [...signInActions, ...passkeyActions],
  mails: passkeyMails,
  cookies: signInCookies,

  async run({ ctx, input: { response, rememberMe, callbackURL } }) {
    assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    const { result, user, target } = await transact(
      ctx,
      (tx) => lockPasskeyOwner(tx, response.id),
      async (tx, userId) => {
        const passkey = await verifyPasskey(ctx, tx, userId, response)
        if (passkey instanceof AppError) return refuseSignIn(userId, passkey)
        const completed = await complete(ctx, tx, passkey, { remember: rememberMe, callbackURL, method: passkey.method })
        if (completed instanceof AppError) return refuseSignIn(userId, completed)
        return { events: [], result: { ...completed, user: passkey.user } }
      },
    )
    const session = setSignInCookies(ctx, result)
    if (!session)
      return { twoFactorRedirect: true as const, twoFactorMethods: await findTwoFactorMethods(ctx, ctx.db, user.id, 'hwk') }
    return {
      session: presentSession(session),
      user: presentUser(user),
      ...(target !== undefined && { url: target }),
    }
  },
})

async function lockPasskeyOwner(tx: Transaction, credentialId: string): Promise<string | null> {
  const [owner] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM users WHERE id = (SELECT user_id FROM passkeys WHERE credential_id = ${credentialId}) FOR NO KEY UPDATE`
  return owner?.id ?? null
}

const details = { factor: 'passkey' }

const refuseSignIn = (userId: string | null, refusal: AppError) => ({
  events: userId === null ? [] : [{ userId, action: 'sign-in' as const, succeeded: false, details }],
  refusal,
})

type CompletedSignIn = { result: SignInResult; target: string | undefined }

async function complete(
  ctx: SignInContext,
  tx: Transaction,
  { user, method, userVerified }: VerifiedPasskey,
  intent: SignInIntent,
): Promise<CompletedSignIn | AppError> {
  if (user.suspendedAt) return new AppError('AUTHENTICATION_FAILED')
  const secondFactor = { method, at: new Date(), verifiesUser: userVerified }
  const waiting = await findWaitingSignIn(ctx, tx, user.id)
  if (waiting) {
    if (!userVerified && isPasskeyMethod(getFirstFactor(waiting.intent))) return new AppError('USER_VERIFICATION_REQUIRED')
    await consumeOneTimeToken(tx, 'two-factor', waiting.token)
    const account = await findPasswordAccount(tx, user.id)
    const now = { ...waiting.intent, authenticatedAt: undefined }
    return {
      result: await openSession(ctx, tx, user.id, now, { details, trust: null, account, secondFactor }),
      target: waiting.intent.callbackURL,
    }
  }
  if (userVerified)
    return {
      result: await openSession(ctx, tx, user.id, intent, { details, trust: null, account: null, secondFactor }),
      target: intent.callbackURL,
    }
  // A trusted device does not count: it and the passkey are both possessions.
  if ((await findTwoFactorMethods(ctx, tx, user.id, method)).length === 0) return new AppError('USER_VERIFICATION_REQUIRED')
  return { result: await requireSecondFactor(ctx, tx, user.id, intent), target: undefined }
}

async function findWaitingSignIn(ctx: SignInContext, tx: Transaction, userId: string): Promise<Challenge | null> {
  const challenge = await findChallenge(ctx, tx)
  return challenge?.userId === userId && challenge.attempts < policy.twoFactor.attemptsPerChallenge ? challenge : null
}
