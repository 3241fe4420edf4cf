import type { Queryable, Transaction, TrustedDevice } from '@floorpass/db'
import type { Context } from '../context.ts'
import { clearFlowCookie, type FlowCookie, readFlowCookie, type SetsCookies, setFlowCookie } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'

export type TrustToken = { device: TrustedDevice; token: string }

const cookie: FlowCookie<'trusted_device'> = { name: 'trusted_device', lifetime: policy.twoFactor.trustedDeviceLifetime }

/** Returns null for an untrusted browser. A stolen token and the original allow one sign-in together. */
export async function renewTrust(ctx: Context, tx: Queryable, userId: string): Promise<TrustToken | null> {
  const currentToken = readFlowCookie(ctx, cookie)
  if (currentToken === undefined) return null
  const token = createToken()
  const now = new Date()
  const { ipAddress, userAgent } = getClientFields(ctx)
  const [device] = await tx.$queryRaw<TrustedDevice[]>`
    UPDATE trusted_devices SET secret_hash = ${hashToken(token)}, last_used_at = ${now}, ip_address = ${ipAddress}, user_agent = ${userAgent}
    WHERE secret_hash = ${hashToken(currentToken)} AND user_id = ${userId} AND expires_at > ${now}
    RETURNING id, user_id AS "userId", secret_hash AS "secretHash", ip_address AS "ipAddress", user_agent AS "userAgent",
              created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"`
  return device ? { device, token } : null
}

/** A browser has one trust cookie, so it is no longer trusted for another user. */
export async function trustDevice(ctx: Context, tx: Transaction, userId: string): Promise<TrustToken> {
  const previousToken = readFlowCookie(ctx, cookie)
  if (previousToken !== undefined) await tx.trustedDevice.deleteMany({ where: { secretHash: hashToken(previousToken), userId } })
  const token = createToken()
  const now = new Date()
  const expiresAt = new Date(now.getTime() + cookie.lifetime * 1000)
  const device = await tx.trustedDevice.create({
    data: { userId, secretHash: hashToken(token), createdAt: now, lastUsedAt: now, expiresAt, ...getClientFields(ctx) },
  })
  const oldest = await tx.trustedDevice.findMany({
    where: { userId },
    orderBy: { createdAt: 'desc' },
    skip: policy.twoFactor.trustedDevicesPerUser,
    select: { id: true },
  })
  if (oldest.length > 0) await tx.trustedDevice.deleteMany({ where: { id: { in: oldest.map(({ id }) => id) } } })
  return { device, token }
}

export function isThisDevice(ctx: Context, { secretHash }: TrustedDevice): boolean {
  const token = readFlowCookie(ctx, cookie)
  return token !== undefined && hashToken(token) === secretHash
}

export const setTrustCookie = (ctx: Context & SetsCookies<'trusted_device'>, { device, token }: TrustToken): void =>
  setFlowCookie(ctx, { ...cookie, lifetime: Math.ceil((device.expiresAt.getTime() - Date.now()) / 1000) }, token)

export function clearTrustCookie(ctx: Context & SetsCookies<'trusted_device'>): void {
  if (readFlowCookie(ctx, cookie) !== undefined) clearFlowCookie(ctx, cookie)
}

const getClientFields = ({ client }: Context) => ({ ipAddress: client.ip ?? '', userAgent: client.userAgent })
