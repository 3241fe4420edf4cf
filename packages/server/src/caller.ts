import type { JWTPayload } from 'jose'

/** Strongest first. `aal2`: the person also proved a second factor. */
export const acrs = ['aal2', 'aal1'] as const
/** Highest first. */
export const roles = ['owner', 'admin', 'member'] as const

export type Acr = (typeof acrs)[number]
export type Role = (typeof roles)[number]

/** The person behind a request, and how strongly and recently they proved who they are. A program calls with an API key. */
export type Caller = {
  userId: string
  /** A handle of the session. It grants no access. Empty for an API key. */
  sessionId: string
  /** The id of the API key, or null for a session. */
  keyId: string | null
  /** The active organization and the role in it, or null. */
  organizationId: string | null
  role: Role | null
  scopes: string[]
  acr: Acr
  /** RFC 8176 words: `pwd`, `otp`, `mail`, `fed`, `mfa`. Empty for an API key. */
  amr: string[]
  /** When the person last proved who they are, in seconds since 1970. 0 for an API key. */
  authTime: number
  /** Seconds of a hold on withdrawals, or null. */
  hold: number | null
}

/** The claims of an access token (RFC 9068). `email` and `email_verified` only when they were asked for. */
export type AccessTokenClaims = JWTPayload &
  Record<'sub' | 'sid' | 'client_id' | 'scope', string> & { auth_time: number; acr: Acr; amr: string[]; trading: boolean } & {
    [Name in 'org' | 'email']?: string
  } & { role?: Role; hold?: number; email_verified?: boolean }

export const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)
const find = <Value>(known: readonly Value[], text: string) => known.find((value) => value === text) ?? null

/** Reads the caller from claims or headers. Returns null when a value is missing or unknown. A token is never of an API key. */
export function readCaller(read: (claim: keyof AccessTokenClaims | null, header: string) => string): Caller | null {
  const [userId, sessionId, roleText] = [read('sub', 'user'), read('sid', 'session'), read('role', 'role')]
  const keyId = read(null, 'key') || null
  const [acr, role] = [find(acrs, read('acr', 'acr')), find(roles, roleText)]
  const [authTime, hold] = [Number(read('auth_time', 'time')), Number(read('hold', 'hold'))]
  const isProved = sessionId ? authTime > 0 : keyId !== null
  if (!userId || !isProved || !acr || (roleText && !role) || Number.isNaN(hold)) return null
  const [scopes, amr] = [splitList(read('scope', 'scopes')), splitList(read('amr', 'amr'))]
  return {
    userId,
    sessionId,
    keyId,
    organizationId: read('org', 'org') || null,
    role,
    scopes,
    acr,
    amr,
    authTime,
    hold: hold || null,
  }
}

const callers = new WeakMap<object, Caller>()
export function rememberCaller(request: object, caller: Caller): null {
  callers.set(request, caller)
  return null
}

/**
 * Returns the caller of a guarded request: Express and Fastify pass the request, Hono its context.
 * @throws {Error} when no guard ran for this request.
 */
export function callerOf(request: object): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('The caller is unknown: no guard of @floorpass/server ran for this request. Add one to the route.')
  return caller
}
