import { randomUUIDv7 } from 'node:crypto'
import {
  type BrowserField,
  type Database,
  findSessionWithUser,
  insertSession,
  keptByNewToken,
  type Memberships,
  type Queryable,
  type Session,
  type SignInField,
  type Sql,
  type TokenField,
  type Transaction,
  type User,
} from '@floorpass/db'
import { PrismaAdapter } from '@lucia-auth/adapter-prisma'
import { Cookie, type DatabaseSession, type DatabaseUser, Lucia, TimeSpan } from 'lucia'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import type { Client, Cookies } from '../kernel/request.ts'
import type { Settings } from '../kernel/settings.ts'
import type { DeviceScope } from '../known-devices/known-device.ts'
import { type AuthenticationMethod, isPasskeyMethod } from './authentication.ts'
import type { ActiveSession, CachedSession, SessionCache } from './session-cache.ts'
import type { SessionMisses } from './session-misses.ts'

// Only this file uses Lucia. The row holds the SHA-256 of the token, so a stolen database has no usable token (ADR 006).

type NewSession = Pick<Session, 'userId' | 'remember' | 'authenticationMethods'> &
  Partial<Pick<Session, BrowserField | SignInField>>

type SessionScope = DeviceScope & {
  db: Database
  sql: Sql
  client: Client
  sessionCache: SessionCache
  sessionMisses: SessionMisses
  /** The service that asks for its visitors. */
  gateway?: string
}

declare module 'lucia' {
  interface Register {
    Lucia: ReturnType<typeof createLucia>
    DatabaseSessionAttributes: Omit<Session, 'id' | 'userId' | 'expiresAt'> & { trueExpiry?: Date }
    DatabaseUserAttributes: Omit<User, 'id'> & { memberships: Memberships }
  }
}

const lifetime = policy.session.lifetime * 1000

class SessionAdapter extends PrismaAdapter<Database> {
  readonly #sql: Queryable
  readonly #extends: boolean

  constructor(db: Database, sql: Queryable, isExtending: boolean) {
    super(db.session, db.user)
    this.#sql = sql
    this.#extends = isExtending
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
      ? new Date(now + (this.#extends && now >= getExtensionTime(attributes, trueExpiry) ? lifetime / 2 : lifetime))
      : trueExpiry
    return [
      { id, userId, expiresAt: luciaExpiry, attributes: { ...attributes, trueExpiry } },
      { id: userId, attributes: { ...userAttributes, memberships: found.memberships } },
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

const createLucia = ({ db, settings: { cookie } }: SessionScope, sql: Queryable, { isExtending = true } = {}) =>
  new Lucia(new SessionAdapter(db, sql, isExtending), {
    sessionExpiresIn: new TimeSpan(policy.session.lifetime, 's'),
    sessionCookie: { name: hostCookieName(cookie), attributes: { secure: cookie.secure, sameSite: cookie.sameSite } },
    getSessionAttributes: (attributes) => attributes,
    getUserAttributes: (attributes) => attributes,
  })

/** `__Host-` keeps subdomains from planting a session cookie (RFC 6265bis 4.1.3.2). better-auth's `getSessionCookie` needs a
 * prefix before a hyphen. */
const hostCookieName = ({ secure }: Settings['cookie']): string => `${secure ? '__Host' : 'local'}-floorpass_session`

/** The same token for the sibling hosts of COOKIE_DOMAIN. Any of them can plant this cookie (ADR 006). */
export const sharedCookieName = '__Secure-floorpass_session'

/** The session cookie as another service sees it. */
export const sessionCookieName = (cookie: Settings['cookie']): string =>
  cookie.domain === null ? hostCookieName(cookie) : sharedCookieName

type CookieSource = { cookies: Pick<Cookies, 'get'>; settings: Pick<Settings, 'cookie'> }

/** The token of the session cookie. Falls back to the shared cookie: a sibling's server forwards only that one. */
export const findSessionToken = ({ cookies, settings: { cookie } }: CookieSource): string | undefined =>
  cookies.get(hostCookieName(cookie)) ?? cookies.get(sessionCookieName(cookie))

type CacheSource = CookieSource & { sessionCache: SessionCache }

/** Null also when the session is due for an extension. */
export function findCached(source: CacheSource): CachedSession | null {
  const cached = findCachedWithoutExtending(source)
  return cached && cached.extendAt > Date.now() ? cached : null
}

/** For an answer that cannot extend the session. */
export function findCachedWithoutExtending(source: CacheSource): CachedSession | null {
  const token = findSessionToken(source)
  return token === undefined ? null : source.sessionCache.find(hashToken(token))
}

/** Extends the session when due. Mutations pass `useCache: false`. */
export async function validateSessionToken(
  ctx: SessionScope,
  { useCache }: { useCache: boolean },
): Promise<ActiveSession | null> {
  const token = findSessionToken(ctx)
  if (token === undefined) return null
  const cached = useCache ? findCached(ctx) : null
  return cached?.active ?? readSession(ctx, hashToken(token), token)
}

/** For an answer that cannot set the cookie, such as that of /auth/verify: never extends the session. */
export async function findSessionByToken(ctx: SessionScope, token: string): Promise<ActiveSession | null> {
  const id = hashToken(token)
  return ctx.sessionCache.find(id)?.active ?? readSession(ctx, id, null)
}

/** For an access token, which names its session by the handle. Never extends the session. */
export async function findSessionByHandle(ctx: SessionScope, handle: string): Promise<ActiveSession | null> {
  const uncachedRead = ctx.sessionCache.findId(handle) === undefined ? ctx.sessionMisses.startRead(ctx) : null
  const id = await findSessionId(ctx, handle)
  if (id !== null) return ctx.sessionCache.find(id)?.active ?? readSession(ctx, id, null)
  uncachedRead?.countMiss()
  return null
}

async function findSessionId({ sql, sessionCache }: InspectScope, handle: string): Promise<string | null> {
  const known = sessionCache.findId(handle)
  if (known !== undefined) return known
  const [row] = await sql.$queryRaw<{ id: string }[]>`SELECT id FROM sessions WHERE handle = ${handle}`
  return row?.id ?? null
}

/** `token` is null when the answer cannot extend the cookie. */
async function readSession(ctx: SessionScope, id: string, token: string | null): Promise<ActiveSession | null> {
  const uncachedRead = ctx.sessionCache.has(id) ? null : ctx.sessionMisses.startRead(ctx)
  return ctx.sessionCache.read(id, async (keep) => {
    const { session, user: found } = await createLucia(ctx, ctx.sql, { isExtending: token !== null }).validateSession(id)
    if (!session || found.suspendedAt) {
      uncachedRead?.countMiss()
      return null
    }
    const { memberships, ...user } = found
    const lastSeenAt = await recordLastSeen(ctx, session)
    const { fresh: extended, trueExpiry = session.expiresAt, expiresAt, ...attributes } = session
    const active = extended
      ? { ...attributes, lastSeenAt, expiresAt: capExpiry(expiresAt, session), updatedAt: new Date() }
      : { ...attributes, lastSeenAt, expiresAt: trueExpiry }
    // Do not cache an extension before a read confirms it: a concurrent request may have extended first.
    if (extended && token !== null) for (const cookie of sessionCookies(ctx, token, active)) ctx.cookies.set(cookie)
    else keep(toCached({ session: Object.freeze(active), user: Object.freeze(user), memberships }))
    return { session: active, user, memberships }
  })
}

type InspectScope = Pick<SessionScope, 'sql' | 'sessionCache'>

/** For introspection, which is no use of the session: its expiry and last-seen time stay. */
export async function inspectSession(
  ctx: InspectScope,
  name: { token: string } | { handle: string },
): Promise<ActiveSession | null> {
  const { sql, sessionCache } = ctx
  const id = 'token' in name ? hashToken(name.token) : await findSessionId(ctx, name.handle)
  if (id === null) return null
  const cached = sessionCache.peek(id)
  if (cached) return cached.active
  return sessionCache.read(id, async (keep) => {
    const found = await findSessionWithUser(sql, id)
    if (!found || found.user.suspendedAt || found.session.expiresAt.getTime() <= Date.now()) return null
    const active = { ...found, session: Object.freeze(found.session), user: Object.freeze(found.user) }
    keep(toCached(active))
    return active
  })
}

const toCached = (active: ActiveSession): CachedSession => {
  const { session } = active
  const seenUntil = session.lastSeenAt.getTime() + policy.session.lastSeenPrecision * 1000 + 1
  return {
    active,
    staleAt: Math.min(session.expiresAt.getTime(), seenUntil),
    extendAt: getExtensionTime(session, session.expiresAt),
  }
}

async function recordLastSeen({ sql }: SessionScope, { id, lastSeenAt }: { id: string; lastSeenAt: Date }): Promise<Date> {
  const now = new Date()
  const stale = new Date(now.getTime() - policy.session.lastSeenPrecision * 1000)
  if (lastSeenAt >= stale) return lastSeenAt
  await sql.$queryRaw`UPDATE sessions SET last_seen_at = ${now} WHERE id = ${id} AND last_seen_at < ${stale}`
  return now
}

const capExpiry = (expiresAt: Date, session: { createdAt: Date }): Date =>
  new Date(Math.min(expiresAt.getTime(), getAbsoluteExpiry(session)))

const describeNewSession = (ctx: SessionScope, { userId, ...fields }: NewSession): Omit<Session, 'id' | 'expiresAt'> => {
  const now = new Date()
  const defaults = {
    nickname: null,
    trustedDeviceId: null,
    activeOrganizationId: null,
    authenticatedAt: null,
    secondFactorAt: null,
    passkeyAt: null,
    impersonatedBy: null,
    impersonatedFrom: null,
    createdAt: now,
  }
  return {
    ...(defaults satisfies Omit<Session, TokenField | 'userId' | 'remember' | 'authenticationMethods'>),
    ...fields,
    userId,
    handle: randomUUIDv7(),
    ipAddress: ctx.client.ip ?? '',
    userAgent: ctx.client.userAgent,
    updatedAt: now,
    lastSeenAt: now,
  }
}

/** Ends the session in this browser's cookie. After the commit, call `setSessionCookie`. */
export async function startSession(
  ctx: SessionScope,
  tx: Queryable,
  fields: NewSession,
): Promise<{ session: Session; token: string }> {
  const lucia = createLucia(ctx, tx)
  await endPresentedSession(ctx, tx)
  const token = createToken()
  const { userId, ...attributes } = describeNewSession(ctx, fields)
  const sessionId = hashToken(token)
  const [{ id, expiresAt }] = await Promise.all([
    lucia.createSession(userId, attributes, { sessionId }),
    endOldestSessions(tx, userId, sessionId),
  ])
  return { session: { ...attributes, id, userId, expiresAt: getInitialExpiry(attributes, expiresAt) }, token }
}

/** Starts a read-only session of the user that ends with the caller's session. Stores no device. After the commit, call `setSessionCookie`. */
export async function startImpersonation(
  ctx: SessionScope & ActiveSession,
  tx: Transaction,
  userId: string,
): Promise<{ session: Session; token: string }> {
  const { id: impersonatedFrom, userId: impersonatedBy, expiresAt } = ctx.session
  await tx.session.deleteMany({ where: { impersonatedFrom } })
  const token = createToken()
  const fields = { userId, impersonatedBy, impersonatedFrom, remember: false, authenticationMethods: [] }
  const session = {
    ...describeNewSession(ctx, fields),
    id: hashToken(token),
    ipAddress: '',
    userAgent: '',
    expiresAt: new Date(Math.min(Date.now() + policy.administration.impersonationLifetime * 1000, expiresAt.getTime())),
  }
  await insertSession(tx, session)
  return { session, token }
}

export type AuthenticationProof = { method: AuthenticationMethod; at: Date; provesSecondFactor?: boolean }

/** Keeps what `keptByNewToken` lists. Call it with the user locked. Returns null when the session has ended. */
export async function renewSession(
  ctx: SessionScope,
  tx: Transaction,
  sessionId: string,
  proof?: AuthenticationProof,
): Promise<{ session: Session; token: string } | null> {
  const current = await tx.session.findUnique({ where: { id: sessionId } })
  if (!current) return null
  // The user's lock does not protect these rows from the sweep or from a deleted organization.
  const [device] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM trusted_devices WHERE id = ${current.trustedDeviceId} FOR KEY SHARE`
  const [organization] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM organizations WHERE id = ${current.activeOrganizationId} AND suspended_at IS NULL FOR KEY SHARE`
  return startSession(ctx, tx, {
    ...keptByNewToken(current),
    ...(proof && {
      authenticatedAt: getLatestAuthentication(proof.at, current.authenticatedAt),
      authenticationMethods: [...new Set([...current.authenticationMethods, proof.method])],
    }),
    ...(proof?.provesSecondFactor && { secondFactorAt: proof.at }),
    ...(proof && isPasskeyMethod(proof.method) && { passkeyAt: proof.at }),
    trustedDeviceId: device?.id ?? null,
    activeOrganizationId: organization?.id ?? null,
  })
}

/** A sign-in at a provider may be older than the last reauthentication here. */
function getLatestAuthentication(added: Date, previous: Date | null): Date {
  const isValid = previous !== null && previous.getTime() <= Date.now()
  return isValid && previous > added ? previous : added
}

async function endOldestSessions(tx: Queryable, userId: string, newest: string): Promise<void> {
  await tx.$queryRaw`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE user_id = ${userId} AND id <> ${newest} AND impersonated_by IS NULL
      ORDER BY created_at DESC OFFSET ${policy.sessionsPerUser - 1}
    )`
}

/** Ends the session in this browser's cookies, whichever user owns it: a different user may be signing in. */
export async function endPresentedSession(ctx: SessionScope, tx: Queryable): Promise<void> {
  for (const token of presentedTokens(ctx)) await createLucia(ctx, tx).invalidateSession(hashToken(token))
}

/** Checks neither the expiry nor the user. */
export async function findPresentedSession(ctx: SessionScope, tx: Transaction): Promise<Session | null> {
  const token = findSessionToken(ctx)
  return token === undefined ? null : tx.session.findUnique({ where: { id: hashToken(token) } })
}

export const findAllPresentedSessions = (ctx: SessionScope, tx: Transaction): Promise<Session[]> =>
  tx.session.findMany({ where: { id: { in: [...presentedTokens(ctx)].map(hashToken) } } })

/** Includes cookies with the same name and different values, and the shared cookie of a COOKIE_DOMAIN that was unset. */
function presentedTokens({ cookies, settings }: SessionScope): Set<string> {
  const names = [hostCookieName(settings.cookie), sharedCookieName]
  return new Set(names.flatMap((name) => [...new Set(cookies.all(name))].slice(0, 10)))
}

export async function endSession(ctx: SessionScope, tx: Transaction, { id }: Pick<Session, 'id'>): Promise<boolean> {
  if ((await tx.session.count({ where: { id } })) === 0) return false
  await createLucia(ctx, tx).invalidateSession(id)
  return true
}

/** Without `remember`, the cookie ends when the browser closes. */
export function setSessionCookie(ctx: SessionScope & SetsCookies<'session'>, token: string, session: CookieSession): void {
  for (const cookie of sessionCookies(ctx, token, session)) ctx.setCookie('session', cookie)
}

type CookieSession = Pick<Session, 'remember' | 'expiresAt'>

function sessionCookies(ctx: SessionScope, token: string, { remember, expiresAt }: CookieSession): string[] {
  const cookie = createLucia(ctx, ctx.sql).createSessionCookie(token)
  cookie.attributes.maxAge = Math.ceil((expiresAt.getTime() - Date.now()) / 1000)
  if (!remember) delete cookie.attributes.maxAge
  return withSharedCookie(ctx, cookie)
}

/** Only `getSession` may call it: a slower response could clear a cookie that was renewed meanwhile. */
export function clearStaleCookie(ctx: SessionScope): void {
  if (findSessionToken(ctx) !== undefined) for (const cookie of blankSessionCookies(ctx)) ctx.cookies.set(cookie)
}

export function clearSessionCookie(ctx: SessionScope & SetsCookies<'session'>): void {
  for (const cookie of blankSessionCookies(ctx)) ctx.setCookie('session', cookie)
}

const blankSessionCookies = (ctx: SessionScope): string[] =>
  withSharedCookie(ctx, createLucia(ctx, ctx.sql).createBlankSessionCookie())

function withSharedCookie({ settings: { cookie } }: SessionScope, own: Cookie): string[] {
  if (cookie.domain === null) return [own.serialize()]
  const shared = new Cookie(sharedCookieName, own.value, { ...own.attributes, domain: cookie.domain })
  return [own.serialize(), shared.serialize()]
}
