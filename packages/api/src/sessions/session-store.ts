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
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import type { Client, Cookies } from '../kernel/request.ts'
import type { Settings } from '../kernel/settings.ts'
import type { DeviceScope } from '../known-devices/known-device.ts'
import type { ActiveSession, CachedSession, SessionCache } from './session-cache.ts'
import type { SessionMisses } from './session-misses.ts'

// Only this file uses Lucia. The row holds the SHA-256 of the token, so a stolen database has no usable token (ADR 006).

type NewSession = Pick<Session, 'userId' | 'remember'> & Partial<Pick<Session, BrowserField | SignInField>>

type SessionScope = DeviceScope & {
  db: Database
  sql: Sql
  client: Client
  sessionCache: SessionCache
  sessionMisses: SessionMisses
}

declare module 'lucia' {
  interface Register {
    Lucia: ReturnType<typeof createLucia>
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

  // Lucia extends at half the lifetime; our rule differs. Give Lucia an expiry that leads to our decision.
  override async getSessionAndUser(id: string): Promise<[DatabaseSession | null, DatabaseUser | null]> {
    const found = await findSessionWithUser(this.#sql, id)
    if (!found) return [null, null]
    const { userId, expiresAt: trueExpiry, id: _, ...attributes } = found.session
    const { id: __, ...userAttributes } = found.user
    const now = Date.now()
    const isAlive = trueExpiry.getTime() > now
    const luciaExpiry = isAlive
      ? new Date(now + (now >= getExtensionTime(attributes, trueExpiry) ? lifetime / 2 : lifetime))
      : trueExpiry
    return [
      { id, userId, expiresAt: luciaExpiry, attributes: { ...attributes, trueExpiry } },
      { id: userId, attributes: userAttributes },
    ]
  }

  override async updateSessionExpiration(id: string, expiresAt: Date): Promise<void> {
    const now = new Date()
    await this.#sql.$queryRaw`
      UPDATE sessions SET expires_at = least(${expiresAt}, created_at + make_interval(secs => ${policy.session.absoluteLifetime})),
                          updated_at = ${now}
      WHERE id = ${id} AND updated_at <= ${new Date(now.getTime() - policy.session.updateAge * 1000)}`
  }

  override async setSession({ id, userId, expiresAt, attributes: session }: DatabaseSession): Promise<void> {
    await insertSession(this.#sql, { ...session, id, userId, expiresAt: getInitialExpiry(session, expiresAt) })
  }

  // Lucia's adapter swallows errors: a sign-out during an outage would seem to succeed.
  override async deleteSession(id: string): Promise<void> {
    await this.#sql.$queryRaw`DELETE FROM sessions WHERE id = ${id}`
  }
}

function getExtensionTime(session: { remember: boolean; createdAt: Date; updatedAt: Date }, expiresAt: Date): number {
  const isExtensible = session.remember && expiresAt.getTime() < getAbsoluteExpiry(session)
  return isExtensible ? session.updatedAt.getTime() + policy.session.updateAge * 1000 : Number.POSITIVE_INFINITY
}

const getInitialExpiry = (session: { remember: boolean; createdAt: Date }, luciaExpiry: Date): Date =>
  session.remember
    ? capExpiry(luciaExpiry, session)
    : new Date(session.createdAt.getTime() + policy.session.browserLifetime * 1000)

const getAbsoluteExpiry = (session: { createdAt: Date }): number =>
  session.createdAt.getTime() + policy.session.absoluteLifetime * 1000

const createLucia = ({ db, settings: { cookie } }: SessionScope, sql: Queryable) =>
  new Lucia(new SessionAdapter(db, sql), {
    sessionExpiresIn: new TimeSpan(policy.session.lifetime, 's'),
    sessionCookie: { name: sessionCookieName(cookie), attributes: { secure: cookie.secure, sameSite: cookie.sameSite } },
    getSessionAttributes: (attributes) => attributes,
    getUserAttributes: (attributes) => attributes,
  })

/** `__Host-` keeps subdomains from planting a session cookie (RFC 6265bis 4.1.3.2). */
export const sessionCookieName = ({ secure }: Settings['cookie']): string =>
  secure ? '__Host-floorpass_session' : 'floorpass_session'

type CookieSource = { cookies: Pick<Cookies, 'get'>; settings: Settings; sessionCache: SessionCache }

export function findCached({ cookies, settings, sessionCache }: CookieSource): CachedSession | null {
  const token = cookies.get(sessionCookieName(settings.cookie))
  return token === undefined ? null : sessionCache.find(hashToken(token))
}

/** Extends the session when due. Mutations pass `useCache: false`. */
export async function validateSessionToken(
  ctx: SessionScope,
  { useCache }: { useCache: boolean },
): Promise<ActiveSession | null> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  if (token === undefined) return null
  const cached = useCache ? findCached(ctx) : null
  if (cached) return cached.active
  const id = hashToken(token)
  const uncachedRead = ctx.sessionCache.has(id) ? null : ctx.sessionMisses.startRead(ctx)
  const fill = ctx.sessionCache.read(id)
  try {
    const { session, user } = await createLucia(ctx, ctx.sql).validateSession(id)
    if (!session || user.suspendedAt) {
      uncachedRead?.countMiss()
      return null
    }
    const lastSeenAt = await recordLastSeen(ctx, session)
    const { fresh: extended, trueExpiry = session.expiresAt, expiresAt, ...attributes } = session
    const active = extended
      ? { ...attributes, lastSeenAt, expiresAt: capExpiry(expiresAt, session), updatedAt: new Date() }
      : { ...attributes, lastSeenAt, expiresAt: trueExpiry }
    // Do not cache an extension before a read confirms it: a concurrent request may have extended first.
    if (extended) ctx.cookies.set(sessionCookie(ctx, token, active))
    else fill.commit({ active: { session: Object.freeze(active), user: Object.freeze(user) }, staleAt: getStaleAt(active) })
    return { session: active, user }
  } finally {
    fill.end()
  }
}

const getStaleAt = (session: Session): number =>
  Math.min(
    session.expiresAt.getTime(),
    getExtensionTime(session, session.expiresAt),
    session.lastSeenAt.getTime() + policy.session.lastSeenPrecision * 1000 + 1,
  )

async function recordLastSeen({ sql }: SessionScope, { id, lastSeenAt }: { id: string; lastSeenAt: Date }): Promise<Date> {
  const now = new Date()
  const stale = new Date(now.getTime() - policy.session.lastSeenPrecision * 1000)
  if (lastSeenAt >= stale) return lastSeenAt
  await sql.$queryRaw`UPDATE sessions SET last_seen_at = ${now} WHERE id = ${id} AND last_seen_at < ${stale}`
  return now
}

const capExpiry = (expiresAt: Date, session: { createdAt: Date }): Date =>
  new Date(Math.min(expiresAt.getTime(), getAbsoluteExpiry(session)))

/** Ends the session in this browser's cookie. After the commit, call `setSessionCookie`. */
export async function startSession(
  ctx: SessionScope,
  tx: Queryable,
  { userId, ...fields }: NewSession,
): Promise<{ session: Session; token: string }> {
  const lucia = createLucia(ctx, tx)
  await endPresentedSession(ctx, tx)
  const token = createToken()
  const now = new Date()
  const defaults = { trustedDeviceId: null, activeOrganizationId: null, authenticatedAt: null, createdAt: now }
  const attributes = {
    ...(defaults satisfies Omit<Session, TokenField | 'userId' | 'remember'>),
    ...fields,
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
  return { session: { ...attributes, id, userId, expiresAt: getInitialExpiry(attributes, expiresAt) }, token }
}

/** Keeps what `keptByNewToken` lists. Call it with the user locked. Returns null when the session has ended. */
export async function renewSession(
  ctx: SessionScope,
  tx: Transaction,
  sessionId: string,
  { authenticatedAt }: { authenticatedAt?: Date } = {},
): Promise<{ session: Session; token: string } | null> {
  const current = await tx.session.findUnique({ where: { id: sessionId } })
  if (!current) return null
  // The user's lock does not protect these rows from the sweep or from a deleted organization.
  const [device] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM trusted_devices WHERE id = ${current.trustedDeviceId} FOR KEY SHARE`
  const [organization] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM organizations WHERE id = ${current.activeOrganizationId} FOR KEY SHARE`
  return startSession(ctx, tx, {
    ...keptByNewToken(current),
    authenticatedAt: getLatestAuthentication(authenticatedAt ?? null, current.authenticatedAt),
    trustedDeviceId: device?.id ?? null,
    activeOrganizationId: organization?.id ?? null,
  })
}

/** A sign-in at a provider may be older than the last reauthentication here. */
function getLatestAuthentication(added: Date | null, previous: Date | null): Date | null {
  if (added === null || previous === null || previous.getTime() > Date.now()) return added ?? previous
  return added > previous ? added : previous
}

async function endOldestSessions(tx: Queryable, userId: string, newest: string): Promise<void> {
  await tx.$queryRaw`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE user_id = ${userId} AND id <> ${newest} ORDER BY created_at DESC OFFSET ${policy.sessionsPerUser - 1}
    )`
}

/** Ends the session in this browser's cookie, whichever user owns it: a different user may be signing in. */
export async function endPresentedSession(ctx: SessionScope, tx: Queryable): Promise<void> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  if (token !== undefined) await createLucia(ctx, tx).invalidateSession(hashToken(token))
}

/** Checks neither the expiry nor the user. */
export async function findPresentedSession(ctx: SessionScope, tx: Transaction): Promise<Session | null> {
  const token = ctx.cookies.get(sessionCookieName(ctx.settings.cookie))
  return token === undefined ? null : tx.session.findUnique({ where: { id: hashToken(token) } })
}

/** Includes cookies with the same name and different values. */
export async function findAllPresentedSessions(ctx: SessionScope, tx: Transaction): Promise<Session[]> {
  const tokens = [...new Set(ctx.cookies.all(sessionCookieName(ctx.settings.cookie)))].slice(0, 10)
  return tx.session.findMany({ where: { id: { in: tokens.map(hashToken) } } })
}

export async function endSession(ctx: SessionScope, tx: Transaction, { id }: Session): Promise<boolean> {
  if ((await tx.session.count({ where: { id } })) === 0) return false
  await createLucia(ctx, tx).invalidateSession(id)
  return true
}

/** Without `remember`, the cookie ends when the browser closes. */
export const setSessionCookie = (ctx: SessionScope & SetsCookies<'session'>, token: string, session: CookieSession): void =>
  ctx.setCookie('session', sessionCookie(ctx, token, session))

type CookieSession = Pick<Session, 'remember' | 'expiresAt'>

function sessionCookie(ctx: SessionScope, token: string, { remember, expiresAt }: CookieSession): string {
  const cookie = createLucia(ctx, ctx.sql).createSessionCookie(token)
  cookie.attributes.maxAge = Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
  if (!remember) delete cookie.attributes.maxAge
  return cookie.serialize()
}

/** Only `getSession` may call it: a slower response could clear a cookie that was renewed meanwhile. */
export function clearStaleCookie(ctx: SessionScope): void {
  if (ctx.cookies.get(sessionCookieName(ctx.settings.cookie)) !== undefined) ctx.cookies.set(blankSessionCookie(ctx))
}

export const clearSessionCookie = (ctx: SessionScope & SetsCookies<'session'>): void =>
  ctx.setCookie('session', blankSessionCookie(ctx))

const blankSessionCookie = (ctx: SessionScope): string => createLucia(ctx, ctx.sql).createBlankSessionCookie().serialize()
