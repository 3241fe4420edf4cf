import type { Session, Transaction, User } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { sendTwoFactorEnabled } from '../mail/notifications.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { presentUser } from '../sessions/present-session.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { openSession, setSignInCookies } from '../sign-in/complete-sign-in.ts'
import { publicProcedure } from '../trpc.ts'
import { lockCaller, lockUser } from '../users/lock-user.ts'
import { clearChallenge, findChallenge } from './challenge.ts'
import { verifyTwoFactorInput } from './contract.ts'
import { trustDevice } from './trusted-device.ts'
import { type CodeKind, type GivenCode, kindOf, verifyCode } from './verify-code.ts'

/**
 * Takes a code, of an authenticator or a backup code. Spec: Two-factor. Signed out, it ends the sign-in that waits in this browser;
 * signed in, it finishes the set-up, or only says that the code is right. A wrong code is counted even though it is refused:
 * INVALID_CODE, INVALID_BACKUP_CODE, after five in one sign-in TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE, after ten in a row anywhere
 * ACCOUNT_TEMPORARILY_LOCKED. INVALID_TWO_FACTOR_COOKIE, TOTP_NOT_ENABLED, BACKUP_CODES_NOT_ENABLED.
 */
export const verifyTwoFactor = publicProcedure.input(verifyTwoFactorInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('two-factor:ip')
  const active = await ctx.findSession()
  const answer = await (active ? verifyInSession({ ...ctx, ...active }, input) : passChallenge(ctx, input))
  ctx.mail.wake()
  if (answer instanceof AppError) throw answer
  return answer
})

const factorName = { totp: 'totp', backup: 'backup-code' } as const satisfies Record<CodeKind, string>

async function passChallenge(ctx: Context, input: GivenCode & { trustDevice: boolean }) {
  const passed = await ctx.db.$transaction(async (tx) => {
    const known = await findChallenge(ctx, tx)
    if (!known || !(await lockUser(tx, known.userId))) return new AppError('INVALID_TWO_FACTOR_COOKIE')
    // What ended the sign-in while this waited for the lock ends this too.
    const challenge = await findChallenge(ctx, tx)
    if (!challenge) return new AppError('INVALID_TWO_FACTOR_COOKIE')
    if (challenge.attempts >= policy.twoFactor.attemptsPerChallenge) return new AppError('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')

    const { user, intent } = challenge
    const check = await verifyCode(ctx, tx, user, input)
    const provider = intent.provider !== undefined && { provider: intent.provider }
    if (check.outcome === 'wrong') {
      await tx.verification.update({ where: { id: challenge.id }, data: { attempts: { increment: 1 } } })
      const details = { ...provider, factor: factorName[kindOf(input)] }
      await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'sign-in', succeeded: false, details })
    }
    if (check.outcome !== 'right') return check.refusal

    await consumeOneTimeToken(tx, 'two-factor', challenge.token)
    const trust = input.trustDevice ? await trustDevice(ctx, tx, user.id) : null
    const details = { factor: factorName[check.kind], ...(trust && { trusted: true }) }
    const account = await findPasswordAccount(tx, user.id)
    // The code was just entered: an earlier sign-in at the provider does not date this session.
    const { remember, provider: providerId } = intent
    const opened = await openSession(ctx, tx, user.id, { remember, provider: providerId }, { details, trust, account })
    return { opened, user, intent }
  })
  if (passed instanceof AppError) {
    if (passed.key === 'INVALID_TWO_FACTOR_COOKIE' || passed.key === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE') clearChallenge(ctx)
    return passed
  }
  setSignInCookies(ctx, passed.opened)
  const { callbackURL } = passed.intent
  return present(passed.opened.session, passed.user, callbackURL)
}

async function verifyInSession(ctx: Context & ActiveSession, input: GivenCode) {
  const verified = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
    const check = await verifyCode(ctx, tx, user, input, { isSetUp: true })
    if (check.outcome !== 'right' || user.twoFactorEnabled) {
      if (check.outcome !== 'not-checked')
        await recordAuditEvent(tx, ctx.client, {
          userId: user.id,
          action: 'verify-two-factor',
          succeeded: check.outcome === 'right',
          details: { factor: factorName[kindOf(input)] },
        })
      return check.outcome === 'right' ? { session: ctx.session, user, token: null } : check.refusal
    }
    return switchOn(ctx, tx, user)
  })
  if (verified instanceof AppError) return verified
  if (verified.token !== null) setSessionCookie(ctx, verified.token, verified.session)
  return present(verified.session, verified.user)
}

/** From now on sign-ins need a code. Sessions that began without one end; this one goes on under a new token, as old as it was. */
async function switchOn(ctx: Context & ActiveSession, tx: Transaction, { id: userId }: User) {
  await tx.twoFactor.update({ where: { userId }, data: { confirmedAt: new Date() } })
  const user = await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
  const renewed = await renewSession(ctx, tx, ctx.session.id)
  if (!renewed) return new AppError('UNAUTHORIZED')
  await tx.session.deleteMany({ where: { userId, id: { not: renewed.session.id } } })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'enable-two-factor' })
  await sendTwoFactorEnabled(ctx, tx, user)
  return { ...renewed, user }
}

const present = (session: Session, user: User, callbackURL?: string) => ({
  token: session.handle,
  user: presentUser(user),
  ...(callbackURL !== undefined && { url: callbackURL }),
})
