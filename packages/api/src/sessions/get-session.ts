import type { Deps } from '../context.ts'
import { type ByteText, toByteText } from '../kernel/byte-text.ts'
import { isReauthenticated } from '../reauthentication/reauthentication.ts'
import { publicProcedure, sessionProcedure } from '../trpc.ts'
import { presentSession, presentUser } from './present-session.ts'
import type { ActiveSession, CachedSession } from './session-cache.ts'
import { clearStaleCookie, findCached } from './session-store.ts'

/** Spec: Sessions. Returns null when signed out. */
export const getSession = publicProcedure.query(async ({ ctx }) => {
  const active = await ctx.findSession()
  if (!active) clearStaleCookie(ctx)
  return active && present(active)
})

export const requireSession = sessionProcedure.query(({ ctx }) => ({
  ...present(ctx),
  isReauthenticated: isReauthenticated(ctx.session),
}))

/** Skips the context (ADR 024). Returns null when the session is not cached. */
export function cachedSessionJson(
  deps: Pick<Deps, 'sessionCache' | 'settings'>,
  cookies: ReadonlyMap<string, string>,
): ByteText | null {
  const cached = findCached({ sessionCache: deps.sessionCache, settings: deps.settings, cookies })
  return cached && getJson(cached)
}

function getJson(cached: CachedSession): ByteText {
  cached.json ??= toByteText(JSON.stringify(present(cached.active)))
  return cached.json
}

const present = ({ session, user }: ActiveSession) => ({ session: presentSession(session), user: presentUser(user) })
