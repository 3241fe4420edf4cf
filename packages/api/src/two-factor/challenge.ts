import type { Queryable, Session, Transaction, User, Verification } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { clearFlowCookie, type FlowCookie, readFlowCookie, setFlowCookie } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { DeviceAccount } from '../known-devices/known-device.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { findOneTimeToken, issueOneTimeToken, openPayload } from '../one-time-tokens/one-time-tokens.ts'
import { clearSessionCookie, endPresentedSession, setSessionCookie, startSession } from '../sessions/session-store.ts'
import { renewTrust, setTrustCookie, type TrustToken } from './trusted-device.ts'

/** What a sign-in wants to become; it waits, sealed, while the code is asked for. */
export type SignInIntent = {
  remember: boolean
  /** A target that was checked. */
  callbackURL?: string | undefined
  /** For the audit log: the social provider, if one proved who it is. */
  provider?: string | undefined
  /** When the provider saw the person prove who they are; without it that is now. */
  authenticatedAt?: Date | undefined
  /** For the audit log: this sign-in made the account. */
  isNew?: boolean
}

/** How a proved sign-in goes on: in, or by a code. */
export type Admission =
  | { session: Session; token: string; trust: TrustToken | null; account: DeviceAccount | null }
  | { challenge: string }

/** A sign-in that waits for its code. */
export type Challenge = Verification & { user: User; intent: SignInIntent; token: string }

const cookie: FlowCookie = { name: 'two_factor', lifetime: policy.twoFactor.challengeLifetime }

/**
 * The end of every sign-in, whatever proved it: a session, or for who has a second factor a challenge that is bound to this
 * browser, unless the browser is trusted. The user's lock is held, so a factor that is being switched on is seen. Hand the
 * result to `grantAdmission` once the transaction is committed. `way` was found behind that lock.
 */
export async function admit(
  ctx: Context,
  tx: Queryable,
  userId: string,
  intent: SignInIntent,
  way: Way | null,
): Promise<Admission> {
  if (!way) throw new Error('a user whose row is locked is gone')
  const { twoFactorEnabled, account } = way
  const trust = twoFactorEnabled ? await renewTrust(ctx, tx, userId) : null
  const provider = intent.provider !== undefined && { provider: intent.provider }
  if (!twoFactorEnabled || trust) {
    const details = { ...provider, ...(trust && { factor: 'trusted-device' }) }
    const trustedDeviceId = trust?.device.id ?? null
    const [started] = await Promise.all([
      startSession(ctx, tx, {
        userId,
        remember: intent.remember,
        authenticatedAt: intent.authenticatedAt ?? null,
        trustedDeviceId,
      }),
      recordAuditEvent(tx, ctx.client, { userId, action: intent.isNew ? 'sign-up' : 'sign-in', details }),
    ])
    return { ...started, trust, account }
  }
  // Whoever was signed in here gave way when the first factor was proved.
  await endPresentedSession(ctx, tx)
  await recordAuditEvent(tx, ctx.client, { userId, action: 'two-factor-challenge', details: { ...provider } })
  const challenge = await issueOneTimeToken(tx, {
    purpose: 'two-factor',
    userId,
    email: null,
    lifetime: cookie.lifetime,
    sealPayload: (place) => ctx.secretBox.seal(JSON.stringify(intent), place),
  })
  return { challenge }
}

export type Way = { twoFactorEnabled: boolean; account: DeviceAccount | null }

/** Whether a code is asked for, and whose device this becomes; null when the user is gone. */
export async function findWay(tx: Queryable, userId: string): Promise<Way | null> {
  const [row] = await tx.$queryRaw<{ twoFactorEnabled: boolean; id: string | null; deviceEpoch: number | null }[]>`
    SELECT u.two_factor_enabled AS "twoFactorEnabled", a.id, a.device_epoch AS "deviceEpoch" FROM users u
    LEFT JOIN accounts a ON a.user_id = u.id AND a.provider_id = 'credential' AND a.password_hash IS NOT NULL WHERE u.id = ${userId}`
  if (!row) return null
  const { twoFactorEnabled, id, deviceEpoch } = row
  return { twoFactorEnabled, account: id === null || deviceEpoch === null ? null : { id, deviceEpoch } }
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
    if (row.user.suspendedAt) return null
    return { ...row, token, intent: JSON.parse(openPayload(ctx, row)) as SignInIntent }
  } catch (error) {
    if (error instanceof AppError && (error.key === 'INVALID_TOKEN' || error.key === 'TOKEN_EXPIRED')) return null
    throw error
  }
}

export function clearChallenge(ctx: Context): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}
