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
import { type CodeInput, type CodeKind, getCodeKind, verifyCode } from './verify-code.ts'

/** Spec: Two-factor. Completes the challenge; signed in, the setup. Throws the errors of `verifyCode`. */
export const verifyTwoFactor = publicProcedure.input(verifyTwoFactorInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('two-factor:ip')
  const active = await ctx.findSession()
  const result = await (active ? verifyInSession({ ...ctx, ...active }, input) : completeChallenge(ctx, input))
  ctx.mail.wake()
  if (result instanceof AppError) throw result
  return result
})

const auditedFactors = { totp: 'totp', backup: 'backup-code' } as const satisfies Record<CodeKind, string>

async function completeChallenge(ctx: Context, input: CodeInput & { trustDevice: boolean }) {
  const completed = await ctx.db.$transaction(async (tx) => {
    const candidate = await findChallenge(ctx, tx)
    if (!candidate || !(await lockUser(tx, candidate.userId))) return new AppError('INVALID_TWO_FACTOR_COOKIE')
    const challenge = await findChallenge(ctx, tx)
    if (!challenge) return new AppError('INVALID_TWO_FACTOR_COOKIE')
    if (challenge.attempts >= policy.twoFactor.attemptsPerChallenge) return new AppError('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')

    const { user, intent } = challenge
    const check = await verifyCode(ctx, tx, user, input)
    const provider = intent.provider !== undefined && { provider: intent.provider }
    if (check.outcome === 'wrong') {
      await tx.verification.update({ where: { id: challenge.id }, data: { attempts: { increment: 1 } } })
      const details = { ...provider, factor: auditedFactors[getCodeKind(input)] }
      await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'sign-in', succeeded: false, details })
    }
    if (check.outcome !== 'right') return check.error

    await consumeOneTimeToken(tx, 'two-factor', challenge.token)
    const trust = input.trustDevice ? await trustDevice(ctx, tx, user.id) : null
    const details = { factor: auditedFactors[check.kind], ...(trust && { trusted: true }) }
    const account = await findPasswordAccount(tx, user.id)
    // Drop `authenticatedAt`: the code was entered just now.
    const { remember, provider: providerId } = intent
    const opened = await openSession(ctx, tx, user.id, { remember, provider: providerId }, { details, trust, account })
    return { opened, user, intent }
  })
  if (completed instanceof AppError) {
    if (completed.key === 'INVALID_TWO_FACTOR_COOKIE' || completed.key === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
      clearChallenge(ctx)
    return completed
  }
  setSignInCookies(ctx, completed.opened)
  const { callbackURL } = completed.intent
  return toResponse(completed.opened.session, completed.user, callbackURL)
}

async function verifyInSession(ctx: Context & ActiveSession, input: CodeInput) {
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
          details: { factor: auditedFactors[getCodeKind(input)] },
        })
      return check.outcome === 'right' ? { session: ctx.session, user, token: null } : check.error
    }
    return enableFactor(ctx, tx, user)
  })
  if (verified instanceof AppError) return verified
  if (verified.token !== null) setSessionCookie(ctx, verified.token, verified.session)
  return toResponse(verified.session, verified.user)
}

/** Ends every other session: it began without a code. */
async function enableFactor(ctx: Context & ActiveSession, tx: Transaction, { id: userId }: User) {
  await tx.twoFactor.update({ where: { userId }, data: { confirmedAt: new Date() } })
  const user = await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
  const renewed = await renewSession(ctx, tx, ctx.session.id)
  if (!renewed) return new AppError('UNAUTHORIZED')
  await tx.session.deleteMany({ where: { userId, id: { not: renewed.session.id } } })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'enable-two-factor' })
  await sendTwoFactorEnabled(ctx, tx, user)
  return { ...renewed, user }
}

const toResponse = (session: Session, user: User, callbackURL?: string) => ({
  token: session.handle,
  user: presentUser(user),
  ...(callbackURL !== undefined && { url: callbackURL }),
})
