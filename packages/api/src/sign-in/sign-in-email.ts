import type { Account, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { mailPasswordPaused } from '../mails.ts'
import { policy } from '../policy.ts'
import { recordAuditEvent, recordAuditEventIfKnown } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { clearedGuesses, countSignIn, forgetWindows, type Guess } from '../security/password-guesses.ts'
import { assertRedirectTarget } from '../security/redirect-target.ts'
import { presentUser } from '../sessions/present-session.ts'
import { publicProcedure } from '../trpc.ts'
import { type Admission, admit, grantAdmission } from '../two-factor/challenge.ts'
import { signInEmailInput } from './contract.ts'

/**
 * Signs in with an e-mail address and a password. Spec: Sign-in and sign-up. Unknown address, wrong password, no password and
 * suspended account are one answer, after one argon2id and no sooner than 200 ms; EMAIL_NOT_VERIFIED is told only to who knows the password.
 * Who has a second factor gets no session yet: `twoFactorRedirect`, and a challenge that `twoFactor.verify` ends.
 */
export const signInEmail = publicProcedure.input(signInEmailInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('sign-in:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  const { account, guess } = await ctx.quiet.onRefusal(async () => {
    const found = await findAccount(ctx, input.email)
    const counted = await countSignIn(ctx, input.email, found)
    return { account: await comparePassword(ctx, found, input.password, counted), guess: counted }
  })
  if (!account.user.emailVerified) {
    await ctx.db.account.updateMany({ where: { id: account.id }, data: clearedGuesses(guess.place) })
    throw new AppError('EMAIL_NOT_VERIFIED')
  }

  // Another sign-in may have replaced the same outdated hash meanwhile: the password is compared with the new one then.
  const compareAgain = async () => comparePassword(ctx, await findAccount(ctx, input.email), input.password, guess)
  const admission = (await enter(ctx, account, input, guess)) ?? (await enter(ctx, await compareAgain(), input, guess))
  if (!admission) throw new AppError('INVALID_EMAIL_OR_PASSWORD')
  await forgetWindows(ctx, guess.place, input.email, account)
  const session = grantAdmission(ctx, admission)
  if (!session) return { twoFactorRedirect: true as const, twoFactorMethods: ['totp' as const] }

  return {
    redirect: input.callbackURL !== undefined,
    token: session.handle,
    ...(input.callbackURL !== undefined && { url: input.callbackURL }),
    user: presentUser(account.user),
  }
})

/** Null when the password was changed, or the account suspended, while this password was being compared. */
async function enter(
  ctx: Context,
  account: Account,
  { password, rememberMe, callbackURL }: { password: string; rememberMe: boolean; callbackURL?: string | undefined },
  { place }: Guess,
): Promise<Admission | null> {
  // A hash that was imported, or made at a lower cost, is replaced while its password is at hand.
  const isOutdated = ctx.passwords.isOutdated(account.passwordHash ?? '')
  const passwordHash = isOutdated ? await ctx.passwords.hash(password) : account.passwordHash
  return ctx.db.$transaction(async (tx) => {
    await lockUser(tx, account.userId)
    const { count } = await tx.account.updateMany({
      where: { id: account.id, passwordHash: account.passwordHash, user: { suspendedAt: null } },
      data: { lastUsedAt: new Date(), passwordHash, ...clearedGuesses(place) },
    })
    if (count === 0) return null
    return admit(ctx, tx, account.userId, { remember: rememberMe, callbackURL })
  })
}

async function comparePassword(ctx: Context, account: Found, password: string, guess: Guess): Promise<NonNullable<Found>> {
  // A guess that may not count is compared with nothing, in the same time: nobody learns that there is such an account.
  const matches = await ctx.passwords.verify((guess.mayCount && account?.passwordHash) || null, password)
  // The user may have gone between the two reads of this one query.
  const user: User | null | undefined = account?.user
  if (account && matches && user && !user.suspendedAt) return account
  if (account) await recordFailure(ctx, account, guess)
  throw new AppError('INVALID_EMAIL_OR_PASSWORD')
}

type Found = Awaited<ReturnType<typeof findAccount>>

const findAccount = (ctx: Context, email: string) =>
  ctx.db.account.findFirst({ where: { providerId: 'credential', user: { email } }, include: { user: true } })

/** The last guess that strangers have is the owner's to know of: from now on the password opens nothing on a new device. */
async function recordFailure(ctx: Context, { id, userId }: Account, { place, isLast }: Guess): Promise<void> {
  await recordAuditEventIfKnown(ctx.db, ctx.client, { userId, action: 'sign-in', succeeded: false })
  if (place === 'known' || !isLast) return
  await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const spent = { id, unknownGuesses: { gte: policy.passwordGuesses.unknown } }
    const account = await tx.account.findFirst({ where: spent, include: { user: true } })
    if (!account) return
    await recordAuditEvent(tx, ctx.client, { userId, action: 'pause-password' })
    await mailPasswordPaused(ctx, tx, account.user)
  })
  ctx.mail.wake()
}
