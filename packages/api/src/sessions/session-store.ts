import { randomUUIDv7 } from 'node:crypto'
import {
  type BrowserField,
  type Database,
  findSessionWithUser,
  insertSession,
  keptByNewToken,
  type Queryable,
  type Session,
  type SignInField,
  type Sql,
  type TokenField,
  type Transaction,
  type User,
} from '@floorpass/db'
import { PrismaAdapter } from '@lucia-auth/adapter-prisma'
import { type DatabaseSession, type DatabaseUser, Lucia, TimeSpan } from 'lucia'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import type { Client, Cookies } from '../kernel/request.ts'
import type { Settings } from '../kernel/settings.ts'
import type { DeviceScope } from '../known-devices/known-device.ts'
import type { ActiveSession, CachedSession, SessionCache } from './session-cache.ts'
import type { SessionMisses } from './session-misses.ts'

// The only file that knows Lucia (retired upstream). Lucia takes the cookie's value for the primary key; here the cookie holds a
// random token and the row its SHA-256, so a stolen database opens nothing. See docs/decisions/006.

/** What a session starts with. The rest is new with its token, or has a default. */
type NewSession = Pick<Session, 'userId' | 'remember'> & Partial<Pick<Session, BrowserField | SignInField>>

/** What reading, writing and presenting a session needs. A `Context` has it. */
type SessionScope = DeviceScope & {
  db: Database
  sql: Sql
  client: Client
  sessionCache: SessionCache
  sessionMisses: SessionMisses
}

declare module 'lucia' {
  interface Register {
    Lucia: ReturnType<typeof luciaFor>
    DatabaseSessionAttributes: Omit<Session, 'id' | 'userId' | 'expiresAt'> & { trueExpiry?: Date }
    DatabaseUserAttributes: Omit<User, 'id'>
  }
}

const lifetime = policy.session.lifetime * 1000

class SessionAdapter extends PrismaAdapter<Database> {
  readonly #sql: Queryable

  constructor(db: Database, sql: Queryable) {
    super(db.session, db.user)
    this.#sql = sql
  }

  // Lucia extends a session when less than half its life is left. Our rule is finer, so Lucia is shown an expiry on the right side
  // of that line, and the true one travels beside it. Either is far from now: Lucia reads the clock again, later, and deletes
  // what has run out by then.
  override async getSessionAndUser(id: string): Promise<[DatabaseSession | null, DatabaseUser | null]> {
    const found = await findSessionWithUser(this.#sql, id)
    if (!found) return [null, null]
    const { userId, expiresAt: trueExpiry, id: _, ...attributes } = found.session
    const { id: __, ...userAttributes } = found.user
    const now = Date.now()
    const alive = trueExpiry.getTime() > now
    const shown = !alive ? trueExpiry : new Date(now + (now >= extensionDue(attributes, trueExpiry) ? lifetime / 2 : lifetime))
    return [
      { id, userId, expiresAt: shown, attributes: { ...attributes, trueExpiry } },
      { id: userId, attributes: userAttributes },
    ]
  }

  override async updateSessionExpiration(id: string, expiresAt: Date): Promise<void> {
    const now = new Date()
    // Conditional, so that two tabs that extend at once write once, and a session revoked meanwhile stays gone.
    await this.#sql.$queryRaw`
      UPDATE sessions SET expires_at = least(${expiresAt}, created_at + make_interval(secs => ${policy.session.absoluteLifetime})),
                          updated_at = ${now}
      WHERE id = ${id} AND updated_at <= ${new Date(now.getTime() - policy.session.updateAge * 1000)}`
  }

  override async setSession({ id, userId, expiresAt, attributes: session }: DatabaseSession): Promise<void> {
    await insertSession(this.#sql, { ...session, id, userId, expiresAt: firstExpiry(session, expiresAt) })
  }

  // The original swallows every failure, so a sign-out during a database outage would look done.
  override async deleteSession(id: string): Promise<void> {
    await this.#sql.$queryRaw`DELETE FROM sessions WHERE id = ${id}`
  }
}

function extensionDue(session: { remember: boolean; createdAt: Date; updatedAt: Date }, expiresAt: Date): number {
  const isExtensible = session.remember && expiresAt.getTime() < absoluteEnd(session)
  return isExtensible ? session.updatedAt.getTime() + policy.session.updateAge * 1000 : Number.POSITIVE_INFINITY
}

const firstExpiry = (session: { remember: boolean; createdAt: Date }, luciaExpiry: Date): Date =>
  session.remember ? capped(luciaExpiry, session) : new Date(session.createdAt.getTime() + policy.session.browserLifetime * 1000)

const absoluteEnd = (session: { createdAt: Date }): number => session.createdAt.getTime() + policy.session.absoluteLifetime * 1000

const luciaFor = ({ db, settings: { cookie } }: SessionScope, sql: Queryable) =>
  new Lucia(new SessionAdapter(db, sql), {
    sessionExpiresIn: new TimeSpan(policy.session.lifetime, 's'),
    sessionCookie: { name: sessionCookieName(cookie), attributes: { secure: cookie.secure, sameSite: cookie.sameSite } },
    getSessionAttributes: (attributes) => attributes,
    getUserAttributes: (attributes) => attributes,
  })

/** `__Host-` binds the cookie to this very host over https: no sub-domain can plant one (RFC 6265bis 4.1.3.2). */
export const sessionCookieName = ({ secure }: Settings['cookie']): string =>
  secure ? '__Host-floorpass_session' : 'floorpass_session'

type Presented = { cookies: Pick<Cookies, 'get'>; settings: Settings; sessionCache: SessionCache }

/** The presented session, if it is in memory and nothing about it has to be written or refused. */
export function findCached({ cookies, settings, sessionCache }: Presented): CachedSession | null {
  const token = cookies.get(sessionCookieName(settings.cookie))
  return token === undefined ? null : sessionCache.find(hashToken(token))
}

/**
 * The caller's live session, extended when due; null when there is none. What may be seconds old is taken `fromMemory`.
 */
export async function validateSessionToken(
  ctx: SessionScope,
  { fromMemory }: { fromMemory: boolean },
): Promise<ActiveSession | null> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  if (token === undefined) return null
  const kept = fromMemory ? findCached(ctx) : null
  if (kept) return kept.active
  const id = hashToken(token)
  const admitted = ctx.sessionCache.has(id) ? null : ctx.sessionMisses.admit(ctx)
  const fill = ctx.sessionCache.read(id)
  try {
    const { session, user } = await luciaFor(ctx, ctx.sql).validateSession(id)
    if (!session || user.suspendedAt) {
      admitted?.countMiss()
      return null
    }
    const lastSeenAt = await noteSeen(ctx, session)
    const { fresh: extended, trueExpiry = session.expiresAt, expiresAt, ...attributes } = session
    const active = extended
      ? { ...attributes, lastSeenAt, expiresAt: capped(expiresAt, session), updatedAt: new Date() }
      : { ...attributes, lastSeenAt, expiresAt: trueExpiry }
    // What an extension wrote is kept once it was read: another one may have been first.
    if (extended) setSessionCookie(ctx, token, active)
    else fill.commit({ active: { session: Object.freeze(active), user: Object.freeze(user) }, staleAt: nextDuty(active) })
    return { session: active, user }
  } finally {
    fill.end()
  }
}

/** The first moment at which the session has ended, or something about it is to be written. */
const nextDuty = (session: Session): number =>
  Math.min(
    session.expiresAt.getTime(),
    extensionDue(session, session.expiresAt),
    session.lastSeenAt.getTime() + policy.session.lastSeenPrecision * 1000 + 1,
  )

async function noteSeen({ sql }: SessionScope, { id, lastSeenAt }: { id: string; lastSeenAt: Date }): Promise<Date> {
  const now = new Date()
  const stale = new Date(now.getTime() - policy.session.lastSeenPrecision * 1000)
  if (lastSeenAt >= stale) return lastSeenAt
  await sql.$queryRaw`UPDATE sessions SET last_seen_at = ${now} WHERE id = ${id} AND last_seen_at < ${stale}`
  return now
}

const capped = (expiresAt: Date, session: { createdAt: Date }): Date =>
  new Date(Math.min(expiresAt.getTime(), absoluteEnd(session)))

/**
 * Starts a session for a user who has just authenticated, and ends the session that this browser had, in the same transaction. Without
 * `authenticatedAt` the sign-in itself is the last authentication; a renewed session keeps both times. Call `setSessionCookie` with
 * the token after the commit.
 */
export async function startSession(
  ctx: SessionScope,
  tx: Queryable,
  { userId, ...given }: NewSession,
): Promise<{ session: Session; token: string }> {
  const lucia = luciaFor(ctx, tx)
  await endPresentedSession(ctx, tx)
  const token = createToken()
  const now = new Date()
  const unless = { trustedDeviceId: null, activeOrganizationId: null, authenticatedAt: null, createdAt: now }
  const attributes = {
    ...(unless satisfies Omit<Session, TokenField | 'userId' | 'remember'>),
    ...given,
    handle: randomUUIDv7(),
    ipAddress: ctx.client.ip ?? '',
    userAgent: ctx.client.userAgent,
    updatedAt: now,
    lastSeenAt: now,
  }
  const sessionId = hashToken(token)
  const [{ id, expiresAt }] = await Promise.all([
    lucia.createSession(userId, attributes, { sessionId }),
    endOldestSessions(tx, userId, sessionId),
  ])
  return { session: { ...attributes, id, userId, expiresAt: firstExpiry(attributes, expiresAt) }, token }
}

/**
 * The same session under a new token: as old as its sign-in, in the same organization, on the same device. `authenticatedAt` is the
 * moment of a new proof; without it the former one stays. Read here and not
 * before, under the user's lock: its device or organization may have gone while this waited. Those are held until the new row names
 * them: the sweep of old devices takes no lock of the user, nor does the end of an organization that was joined meanwhile. Null when it
 * has ended.
 */
export async function renewSession(
  ctx: SessionScope,
  tx: Transaction,
  sessionId: string,
  { authenticatedAt }: { authenticatedAt?: Date } = {},
): Promise<{ session: Session; token: string } | null> {
  const former = await tx.session.findUnique({ where: { id: sessionId } })
  if (!former) return null
  const [device] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM trusted_devices WHERE id = ${former.trustedDeviceId} FOR KEY SHARE`
  const [organization] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM organizations WHERE id = ${former.activeOrganizationId} FOR KEY SHARE`
  return startSession(ctx, tx, {
    ...keptByNewToken(former),
    authenticatedAt: latest(authenticatedAt ?? null, former.authenticatedAt),
    trustedDeviceId: device?.id ?? null,
    activeOrganizationId: organization?.id ?? null,
  })
}

/** A proof at a provider may be older than one that was given here; neither lies in the future. */
function latest(given: Date | null, former: Date | null): Date | null {
  if (given === null || former === null || former.getTime() > Date.now()) return given ?? former
  return given > former ? given : former
}

/** Keeps the number of devices within bounds: beyond it the oldest sign-in ends. Before `newest` is there, or after: no matter. */
async function endOldestSessions(tx: Queryable, userId: string, newest: string): Promise<void> {
  await tx.$queryRaw`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE user_id = ${userId} AND id <> ${newest} ORDER BY created_at DESC OFFSET ${policy.sessionsPerUser - 1}
    )`
}

/** Ends the session that this browser has, whoever's it is: somebody else may be about to sign in here. */
export async function endPresentedSession(ctx: SessionScope, tx: Queryable): Promise<void> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  if (token !== undefined) await luciaFor(ctx, tx).invalidateSession(hashToken(token))
}

/** The row of the cookie that was presented, judged by nothing else. */
export async function findPresentedSession(ctx: SessionScope, tx: Transaction): Promise<Session | null> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  return token === undefined ? null : tx.session.findUnique({ where: { id: hashToken(token) } })
}

/** The sessions of all cookies of that name: of several, `findPresentedSession` trusts none. A browser sends two or three; more are noise. */
export async function findEveryPresentedSession(ctx: SessionScope, tx: Transaction): Promise<Session[]> {
  const tokens = [...new Set(ctx.cookies.all(sessionCookieName(ctx.settings.cookie)))].slice(0, 10)
  return tx.session.findMany({ where: { id: { in: tokens.map(hashToken) } } })
}

/** Ends a session; false when it had ended before. */
export async function endSession(ctx: SessionScope, tx: Transaction, { id }: Session): Promise<boolean> {
  if ((await tx.session.count({ where: { id } })) === 0) return false
  await luciaFor(ctx, tx).invalidateSession(id)
  return true
}

/** The cookie ends with its session; without `remember`, with the browser. */
export function setSessionCookie(
  ctx: SessionScope,
  token: string,
  { remember, expiresAt }: Pick<Session, 'remember' | 'expiresAt'>,
): void {
  const cookie = luciaFor(ctx, ctx.sql).createSessionCookie(token)
  cookie.attributes.maxAge = Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
  if (!remember) delete cookie.attributes.maxAge
  ctx.cookies.set(cookie.serialize())
}

/**
 * Clears a presented cookie that opens no session. Only the answer to "who is signed in?" does: the answer of any other request may arrive
 * after a new token replaced the one it was sent with, and would sign the user out.
 */
export function clearDeadCookie(ctx: SessionScope): void {
  if (ctx.cookies.get(sessionCookieName(ctx.settings.cookie)) !== undefined) clearSessionCookie(ctx)
}

export function clearSessionCookie(ctx: SessionScope): void {
  ctx.cookies.set(luciaFor(ctx, ctx.sql).createBlankSessionCookie().serialize())
}
