import { findSignInAccount, type SignInAccount, type User } from '@floorpass/db'
import type { z } from 'zod'
import { recordAuditEventIfUserExists } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { customMutation } from '../mutation.ts'
import {
  clearedFailures,
  type DeviceKind,
  type GuessContext,
  notifyOwner,
  type RecordedGuess,
  recordSignInGuess,
  resetSignInThrottle,
} from '../password-guesses/password-guesses.ts'
import { presentUser } from '../sessions/present-session.ts'
import { findTwoFactorMethods } from '../two-factor/two-factor-methods.ts'
import { lockUser } from '../users/lock-user.ts'
import {
  completeSignIn,
  findSignInRequirements,
  type SignInContext,
  type SignInResult,
  setSignInCookies,
  signInActions,
  signInCookies,
} from './complete-sign-in.ts'
import { signInEmailInput } from './contract.ts'

/** Spec: Sign-in and sign-up. All refusals share one error and timing; only the right password earns EMAIL_NOT_VERIFIED. */
export const signInEmail = customMutation({
  access: 'public',
  sensitive: false,
  input: signInEmailInput,
  limit: 'sign-in:ip',
  lock: 'own',
  events: [...signInActions, 'pause-password'],
  mails: ['password-paused'],
  cookies: signInCookies,

  async run({ ctx, input }) {
    assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    // A concurrent request may replace the hash. Compare again with the new one.
    const signedIn = (await attemptSignIn(ctx, input)) ?? (await attemptSignIn(ctx, input))
    if (!signedIn) throw new AppError('INVALID_EMAIL_OR_PASSWORD')
    const session = setSignInCookies(ctx, signedIn.result)
    if (!session)
      return {
        twoFactorRedirect: true as const,
        twoFactorMethods: await findTwoFactorMethods(ctx, ctx.db, signedIn.user.id, 'pwd'),
      }

    return {
      redirect: input.callbackURL !== undefined,
      token: session.handle,
      ...(input.callbackURL !== undefined && { url: input.callbackURL }),
      user: presentUser(signedIn.user),
    }
  },
})

/** Returns null when the hash changed, or the user was suspended, during the comparison. */
async function attemptSignIn(
  ctx: SignInContext & GuessContext,
  input: SignInInput,
): Promise<{ result: SignInResult; user: User } | null> {
  const { account, deviceKind } = await ctx.responseFloor.withMinDurationOnRefusal(() => verifyPassword(ctx, input))
  const { id, userId, user } = account
  const resetsUnknown = 'unknownGuesses' in clearedFailures(deviceKind)
  const resetFailures = async (): Promise<void> => {
    // Keep `updated_at`: the owner sees it as a change to the account.
    await ctx.sql.$queryRaw`
      UPDATE accounts SET known_guesses = 0, unknown_guesses = CASE WHEN ${resetsUnknown}::boolean THEN 0 ELSE unknown_guesses END
      WHERE id = ${id} AND password_hash = ${account.passwordHash}`
    await resetSignInThrottle(ctx, deviceKind, input.email, account)
  }
  if (!user.emailVerified) {
    await resetFailures()
    throw new AppError('EMAIL_NOT_VERIFIED')
  }

  const passwordHash = await rehashIfOutdated(ctx, account, input.password)
  const now = new Date()
  const completion = ctx.sql.transaction(async (tx) => {
    const [, used, requirements] = await Promise.all([
      lockUser(tx, userId),
      tx.$queryRaw<unknown[]>`
        UPDATE accounts SET last_used_at = ${now}, updated_at = ${now}, password_hash = ${passwordHash}, known_guesses = 0,
                            unknown_guesses = CASE WHEN ${resetsUnknown}::boolean THEN 0 ELSE unknown_guesses END
        WHERE id = ${id} AND password_hash = ${account.passwordHash}
          AND EXISTS (SELECT FROM users WHERE users.id = user_id AND suspended_at IS NULL) RETURNING id`,
      findSignInRequirements(tx, userId),
    ])
    if (used.length === 0) return null
    const intent = { remember: input.rememberMe, callbackURL: input.callbackURL }
    return completeSignIn(ctx, tx, userId, intent, requirements)
  })
  const result = await completion.catch((error: unknown) => {
    // The password was right: retries during an outage must not use up the user's guesses.
    void resetFailures().catch(() => {})
    throw error
  })
  if (!result) return null
  await resetSignInThrottle(ctx, deviceKind, input.email, account)
  return { result, user }
}

async function rehashIfOutdated(ctx: Context, { passwordHash }: SignInAccount, password: string): Promise<string | null> {
  if (!ctx.passwords.isOutdated(passwordHash ?? '')) return passwordHash
  return ctx.passwords.hash(password).catch((error: unknown) => {
    if (error instanceof AppError && error.key === 'SERVICE_BUSY') return passwordHash
    throw error
  })
}

async function verifyPassword(
  ctx: GuessContext,
  { email, password }: SignInInput,
): Promise<{ account: SignInAccount; deviceKind: DeviceKind }> {
  let account = null as SignInAccount | null
  let guess = null as RecordedGuess | null
  const matches = await ctx.passwords.verify(async () => {
    account = await findSignInAccount(ctx.sql, email)
    guess = await recordSignInGuess(ctx, email, account)
    // A guess over the limit is compared with a decoy: timing must not reveal the account.
    return (guess.isAllowed && account?.passwordHash) || null
  }, password)
  if (account && guess && matches && !account.user.suspendedAt) return { account, deviceKind: guess.deviceKind }
  if (account) {
    await recordAuditEventIfUserExists(ctx.db, ctx.client, { userId: account.userId, action: 'sign-in', succeeded: false })
    if (guess?.isLast) await notifyOwner(ctx, account, guess.deviceKind)
  }
  throw new AppError('INVALID_EMAIL_OR_PASSWORD')
}

type SignInInput = z.infer<typeof signInEmailInput>
