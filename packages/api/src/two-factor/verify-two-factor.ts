import type { Session, Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { type Mails, sendAuthenticatorAdded } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { presentUser } from '../sessions/present-session.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { setSessionCookie } from '../sessions/session-store.ts'
import { openSession, type SetsSignInCookies, setSignInCookies, signInCookies } from '../sign-in/complete-sign-in.ts'
import { type Changed, transact } from '../transact.ts'
import { assertUnlocked, lockCaller, lockUser } from '../users/lock-user.ts'
import { startHold } from '../users/start-hold.ts'
import { type Challenge, clearChallenge, findChallenge } from './challenge.ts'
import { verifyTwoFactorInput } from './contract.ts'
import { markTwoFactorEnabled, type RenewedSession } from './mark-two-factor-enabled.ts'
import { trustDevice } from './trusted-device.ts'
import { type CodeContext, type CodeInput, type CodeKind, getCodeKind, verifyCode } from './verify-code.ts'

/** Spec: Two-factor. Completes the challenge; signed in, the setup. Throws the errors of `verifyCode`. */
export const verifyTwoFactor = customMutation({
  access: 'public',
  sensitive: 'in-part',
  input: verifyTwoFactorInput,
  limit: 'two-factor:ip',
  lock: 'own',
  events: ['sign-in', 'sign-up', 'enable-two-factor', 'add-authenticator', 'verify-two-factor', 'lock-two-factor'],
  mails: ['two-factor-enabled', 'authenticator-added', 'two-factor-locked', 'backup-code-used'],
  cookies: signInCookies,

  async run({ ctx, input }) {
    const active = await ctx.findSession()
    return active ? verifyInSession({ ...ctx, ...active }, input) : completeChallenge(ctx, input)
  },
})

type VerifyContext = CodeContext &
  Records<'sign-in' | 'sign-up' | 'enable-two-factor' | 'add-authenticator' | 'verify-two-factor'>
type SetupContext = VerifyContext & ActiveSession & Mails<'two-factor-enabled' | 'authenticator-added'>

const auditedFactors = { totp: 'totp', backup: 'backup-code' } as const satisfies Record<CodeKind, string>

async function completeChallenge(ctx: VerifyContext & SetsSignInCookies, input: CodeInput & { trustDevice: boolean }) {
  const { opened, user, intent } = await transact(
    ctx,
    (tx) => lockChallenge(ctx, tx),
    async (tx, challenge) => {
      if (!challenge) return { events: [], refusal: new AppError('INVALID_TWO_FACTOR_COOKIE') }
      if (challenge.attempts >= policy.twoFactor.attemptsPerChallenge)
        return { events: [], refusal: new AppError('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE') }

      const { user, intent } = challenge
      const check = await verifyCode(ctx, tx, user, input)
      if (check.outcome === 'not-checked') return { events: [], refusal: check.error }
      if (check.outcome === 'wrong') {
        await tx.verification.update({ where: { id: challenge.id }, data: { attempts: { increment: 1 } } })
        const provider = intent.provider !== undefined && { provider: intent.provider }
        const details = { ...provider, factor: auditedFactors[getCodeKind(input)] }
        return { events: [{ userId: user.id, action: 'sign-in', succeeded: false, details }], refusal: check.error }
      }

      await consumeOneTimeToken(tx, 'two-factor', challenge.token)
      const trust = input.trustDevice ? await trustDevice(ctx, tx, user.id) : null
      const details = { factor: auditedFactors[check.kind], ...(trust && { trusted: true }) }
      const account = await findPasswordAccount(tx, user.id)
      // Drop `authenticatedAt`: the code was entered just now.
      const { remember, provider, method } = intent
      const opened = await openSession(
        ctx,
        tx,
        user.id,
        { remember, provider, method },
        { details, trust, account, secondFactor: { method: 'otp', at: new Date() } },
      )
      return { events: [], result: { opened, user, intent } }
    },
  ).catch((error: unknown) => {
    const isOver =
      error instanceof AppError &&
      (error.key === 'INVALID_TWO_FACTOR_COOKIE' || error.key === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
    if (isOver) clearChallenge(ctx)
    throw error
  })
  setSignInCookies(ctx, opened)
  return toResponse(opened.session, user, intent.callbackURL)
}

/** Reads the challenge again under the lock, since a concurrent request may have completed it. */
async function lockChallenge(ctx: Context, tx: Transaction): Promise<Challenge | null> {
  const candidate = await findChallenge(ctx, tx)
  return candidate && (await lockUser(tx, candidate.userId)) ? findChallenge(ctx, tx) : null
}

async function verifyInSession(ctx: SetupContext & SetsCookies<'session'>, input: CodeInput) {
  const { session, user, token } = await transact(
    ctx,
    (tx) => lockCaller(tx, ctx),
    async (tx) => {
      const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
      const check = await verifyCode(ctx, tx, user, input, { isSetUp: true })
      if (check.outcome === 'not-checked') return { events: [], refusal: check.error }
      const details = { factor: auditedFactors[getCodeKind(input)] }
      if (check.outcome === 'wrong')
        return { events: [{ action: 'verify-two-factor', succeeded: false, details }], refusal: check.error }
      if (check.isSetUp) assertUnlocked(user)
      if (check.isSetUp) return confirmTotp(ctx, tx, user)
      return { events: [{ action: 'verify-two-factor', details }], result: { session: ctx.session, user, token: null } }
    },
  )
  if (token !== null) setSessionCookie(ctx, token, session)
  return toResponse(session, user)
}

type VerifiedSession = Omit<RenewedSession, 'token'> & { token: string | null }

/** Beside a passkey, an app changes nothing for the sessions that exist. */
async function confirmTotp(
  ctx: SetupContext,
  tx: Transaction,
  user: User,
): Promise<Changed<SetupContext, 'enable-two-factor' | 'add-authenticator', VerifiedSession>> {
  await tx.twoFactor.update({ where: { userId: ctx.user.id }, data: { confirmedAt: new Date() } })
  if (user.twoFactorEnabled) {
    await startHold(ctx, tx, user.id, 'change-factor')
    await sendAuthenticatorAdded(ctx, tx, user)
    return { events: [{ action: 'add-authenticator' }], result: { session: ctx.session, user, token: null } }
  }
  return { events: [{ action: 'enable-two-factor' }], result: await markTwoFactorEnabled(ctx, tx) }
}

const toResponse = (session: Session, user: User, callbackURL?: string) => ({
  token: session.handle,
  user: presentUser(user),
  ...(callbackURL !== undefined && { url: callbackURL }),
})
