import type { Queryable, Transaction, TrustedDevice } from '@floorpass/db'
import type { Context } from '../context.ts'
import { clearFlowCookie, type FlowCookie, readFlowCookie, setFlowCookie } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'

/** A device's row, and the token for its cookie once the transaction is committed. */
export type TrustToken = { device: TrustedDevice; token: string }

const cookie: FlowCookie = { name: 'trusted_device', lifetime: policy.twoFactor.trustedDeviceLifetime }

/**
 * This browser's trust for this user, with a new token: one conditional UPDATE, so a token that was copied is worth one sign-in,
 * here or there. Null for no cookie, another user's, a revoked or an old one.
 */
export async function renewTrust(ctx: Context, tx: Queryable, userId: string): Promise<TrustToken | null> {
  const former = readFlowCookie(ctx, cookie)
  if (former === undefined) return null
  const token = createToken()
  const now = new Date()
  const { ipAddress, userAgent } = whereFrom(ctx)
  const [device] = await tx.$queryRaw<TrustedDevice[]>`
    UPDATE trusted_devices SET secret_hash = ${hashToken(token)}, last_used_at = ${now}, ip_address = ${ipAddress}, user_agent = ${userAgent}
    WHERE secret_hash = ${hashToken(former)} AND user_id = ${userId} AND expires_at > ${now}
    RETURNING id, user_id AS "userId", secret_hash AS "secretHash", ip_address AS "ipAddress", user_agent AS "userAgent",
              created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"`
  return device ? { device, token } : null
}

/** Trusts this browser from now on. There is one cookie, so another user whom it was trusted for is asked for a code again. */
export async function trustDevice(ctx: Context, tx: Transaction, userId: string): Promise<TrustToken> {
  const former = readFlowCookie(ctx, cookie)
  if (former !== undefined) await tx.trustedDevice.deleteMany({ where: { secretHash: hashToken(former), userId } })
  const token = createToken()
  const now = new Date()
  const expiresAt = new Date(now.getTime() + cookie.lifetime * 1000)
  const device = await tx.trustedDevice.create({
    data: { userId, secretHash: hashToken(token), createdAt: now, lastUsedAt: now, expiresAt, ...whereFrom(ctx) },
  })
  const surplus = await tx.trustedDevice.findMany({
    where: { userId },
    orderBy: { createdAt: 'desc' },
    skip: policy.twoFactor.trustedDevicesPerUser,
    select: { id: true },
  })
  if (surplus.length > 0) await tx.trustedDevice.deleteMany({ where: { id: { in: surplus.map(({ id }) => id) } } })
  return { device, token }
}

/** Whether the row is this browser's. */
export function isThisDevice(ctx: Context, { secretHash }: TrustedDevice): boolean {
  const token = readFlowCookie(ctx, cookie)
  return token !== undefined && hashToken(token) === secretHash
}

/** The cookie ends with the trust, which a renewal does not prolong. */
export const setTrustCookie = (ctx: Context, { device, token }: TrustToken): void =>
  setFlowCookie(ctx, { ...cookie, lifetime: Math.ceil((device.expiresAt.getTime() - Date.now()) / 1000) }, token)

export function clearTrustCookie(ctx: Context): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}

const whereFrom = ({ client }: Context) => ({ ipAddress: client.ip ?? '', userAgent: client.userAgent })
