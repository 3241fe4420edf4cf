import { findSignInAccount, type SignInAccount, type User } from '@floorpass/db'
import type { z } from 'zod'
import { recordAuditEventIfUserExists } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import {
  clearedFailures,
  countSignIn,
  forgetWindows,
  type Guess,
  notifyOwner,
  type Place,
} from '../password-guesses/password-guesses.ts'
import { presentUser } from '../sessions/present-session.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUser } from '../users/lock-user.ts'
import { completeSignIn, findSignInRequirements, type SignInResult, setSignInCookies } from './complete-sign-in.ts'
import { signInEmailInput } from './contract.ts'

/**
 * Signs in with an e-mail address and a password. Spec: Sign-in and sign-up. Unknown address, wrong password, no password and
 * suspended account are one answer, after one argon2id and no sooner than 200 ms; EMAIL_NOT_VERIFIED is told only to who knows the password.
 * Who has a second factor gets no session yet: `twoFactorRedirect`, and a challenge that `twoFactor.verify` ends.
 */
export const signInEmail = publicProcedure.input(signInEmailInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('sign-in:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  // The hash may be replaced while this password is compared with it, if only by a stronger one: it is judged, and counted, anew.
  const entered = (await enter(ctx, input)) ?? (await enter(ctx, input))
  if (!entered) throw new AppError('INVALID_EMAIL_OR_PASSWORD')
  const session = setSignInCookies(ctx, entered.result)
  if (!session) return { twoFactorRedirect: true as const, twoFactorMethods: ['totp' as const] }

  return {
    redirect: input.callbackURL !== undefined,
    token: session.handle,
    ...(input.callbackURL !== undefined && { url: input.callbackURL }),
    user: presentUser(entered.user),
  }
})

/** Null when the password was changed, or the account suspended, while this password was being compared. */
async function enter(ctx: Context, input: Input): Promise<{ result: SignInResult; user: User } | null> {
  const { account, place } = await ctx.responseFloor.withMinDurationOnRefusal(() => comparePassword(ctx, input))
  const { id, userId, user } = account
  const clearsUnknown = 'unknownGuesses' in clearedFailures(place)
  const resetFailures = async (): Promise<void> => {
    // No change of the account: its owner sees `updated_at`.
    await ctx.sql.$queryRaw`
      UPDATE accounts SET known_guesses = 0, unknown_guesses = CASE WHEN ${clearsUnknown}::boolean THEN 0 ELSE unknown_guesses END
      WHERE id = ${id} AND password_hash = ${account.passwordHash}`
    await forgetWindows(ctx, place, input.email, account)
  }
  if (!user.emailVerified) {
    await resetFailures()
    throw new AppError('EMAIL_NOT_VERIFIED')
  }

  const passwordHash = await renewHash(ctx, account, input.password)
  const now = new Date()
  const entering = ctx.sql.transaction(async (tx) => {
    const [, used, requirements] = await Promise.all([
      lockUser(tx, userId),
      tx.$queryRaw<unknown[]>`
        UPDATE accounts SET last_used_at = ${now}, updated_at = ${now}, password_hash = ${passwordHash}, known_guesses = 0,
                            unknown_guesses = CASE WHEN ${clearsUnknown}::boolean THEN 0 ELSE unknown_guesses END
        WHERE id = ${id} AND password_hash = ${account.passwordHash}
          AND EXISTS (SELECT FROM users WHERE users.id = user_id AND suspended_at IS NULL) RETURNING id`,
      findSignInRequirements(tx, userId),
    ])
    if (used.length === 0) return null
    const intent = { remember: input.rememberMe, callbackURL: input.callbackURL }
    return completeSignIn(ctx, tx, userId, intent, requirements)
  })
  const result = await entering.catch((error: unknown) => {
    // It failed us, not them: whoever tries on through an outage must not have used up their guesses. Nobody waits for a second failure.
    void resetFailures().catch(() => {})
    throw error
  })
  if (!result) return null
  await forgetWindows(ctx, place, input.email, account)
  return { result, user }
}

/** A hash that was imported, or made at a lower cost, is replaced while its password is at hand; another time when there is no place. */
async function renewHash(ctx: Context, { passwordHash }: SignInAccount, password: string): Promise<string | null> {
  if (!ctx.passwords.isOutdated(passwordHash ?? '')) return passwordHash
  return ctx.passwords.hash(password).catch((error: unknown) => {
    if (error instanceof AppError && error.key === 'SERVICE_BUSY') return passwordHash
    throw error
  })
}

async function comparePassword(ctx: Context, { email, password }: Input): Promise<{ account: SignInAccount; place: Place }> {
  let account = null as SignInAccount | null
  let guess = null as Guess | null
  const matches = await ctx.passwords.verify(async () => {
    account = await findSignInAccount(ctx.sql, email)
    guess = await countSignIn(ctx, email, account)
    // A guess that may not count is compared with nothing, in the same time: nobody learns that there is such an account.
    return (guess.mayCount && account?.passwordHash) || null
  }, password)
  if (account && guess && matches && !account.user.suspendedAt) return { account, place: guess.place }
  if (account) {
    await recordAuditEventIfUserExists(ctx.db, ctx.client, { userId: account.userId, action: 'sign-in', succeeded: false })
    if (guess?.isLast) await notifyOwner(ctx, account, guess.place)
  }
  throw new AppError('INVALID_EMAIL_OR_PASSWORD')
}

type Input = z.infer<typeof signInEmailInput>
