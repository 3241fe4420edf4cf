import type { Account, Session, Transaction, User, Verification } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { policy } from '../policy.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { clearFlowCookie, type FlowCookie, readFlowCookie, setFlowCookie } from '../security/flow-cookie.ts'
import { rememberDevice } from '../security/known-device.ts'
import { findOneTimeToken, issueOneTimeToken, openSealed } from '../security/one-time-tokens.ts'
import { findPasswordAccount } from '../security/password-account.ts'
import { clearSessionCookie, endPresentedSession, setSessionCookie, startSession } from '../sessions/session-store.ts'
import { renewTrust, setTrustCookie, type TrustToken } from './trusted-device.ts'

/** What a sign-in wants to become; it waits, sealed, while the code is asked for. */
export type SignInIntent = {
  remember: boolean
  /** A target that was checked. */
  callbackURL?: string | undefined
  /** For the audit log: the social provider, if one proved who it is. */
  provider?: string | undefined
  /** For the audit log: this sign-in made the account. */
  isNew?: boolean
}

/** How a proved sign-in goes on: in, or by a code. */
export type Admission =
  | { session: Session; token: string; trust: TrustToken | null; account: Account | null }
  | { challenge: string }

/** A sign-in that waits for its code. */
export type Challenge = Verification & { user: User; intent: SignInIntent; token: string }

const cookie: FlowCookie = { name: 'two_factor', lifetime: policy.twoFactor.challengeLifetime }

/**
 * The end of every sign-in, whatever proved it: a session, or for who has a second factor a challenge that is bound to this
 * browser, unless the browser is trusted. The user's lock is held, so a factor that is being switched on is seen. Hand the
 * result to `grantAdmission` once the transaction is committed.
 */
export async function admit(ctx: Context, tx: Transaction, userId: string, intent: SignInIntent): Promise<Admission> {
  const { twoFactorEnabled } = await tx.user.findUniqueOrThrow({ where: { id: userId } })
  const trust = twoFactorEnabled ? await renewTrust(ctx, tx, userId) : null
  const provider = intent.provider !== undefined && { provider: intent.provider }
  if (!twoFactorEnabled || trust) {
    const details = { ...provider, ...(trust && { factor: 'trusted-device' }) }
    await recordAuditEvent(tx, ctx.client, { userId, action: intent.isNew ? 'sign-up' : 'sign-in', details })
    const trustedDeviceId = trust?.device.id ?? null
    const started = await startSession(ctx, tx, { userId, remember: intent.remember, trustedDeviceId })
    return { ...started, trust, account: await findPasswordAccount(tx, userId) }
  }
  // Whoever was signed in here gave way when the first factor was proved.
  await endPresentedSession(ctx, tx)
  await recordAuditEvent(tx, ctx.client, { userId, action: 'two-factor-challenge', details: { ...provider } })
  const challenge = await issueOneTimeToken(tx, {
    purpose: 'two-factor',
    userId,
    email: null,
    lifetime: cookie.lifetime,
    payloadSealed: ctx.secretBox.seal(JSON.stringify(intent)),
  })
  return { challenge }
}

/** Gives the browser the cookies of its admission; the session, or null when a code is asked for. */
export function grantAdmission(ctx: Context, admission: Admission): Session | null {
  if ('challenge' in admission) {
    clearSessionCookie(ctx)
    setFlowCookie(ctx, cookie, admission.challenge)
    return null
  }
  setSessionCookie(ctx, admission.token, admission.session)
  if (admission.trust) setTrustCookie(ctx, admission.trust)
  if (admission.account) rememberDevice(ctx, admission.account)
  clearChallenge(ctx)
  return admission.session
}

/** The sign-in that waits in this browser; null when there is none, it is over, or its user may not sign in. */
export async function findChallenge(ctx: Context, tx: Transaction): Promise<Challenge | null> {
  const token = readFlowCookie(ctx, cookie)
  if (token === undefined) return null
  try {
    const row = await findOneTimeToken(tx, 'two-factor', token)
    if (row.user.suspendedAt || row.payloadSealed === null) return null
    return { ...row, token, intent: JSON.parse(openSealed(ctx, row.payloadSealed)) as SignInIntent }
  } catch (error) {
    if (error instanceof AppError && (error.key === 'INVALID_TOKEN' || error.key === 'TOKEN_EXPIRED')) return null
    throw error
  }
}

export function clearChallenge(ctx: Context): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}
